@testable import HTTP2Client
import Synchronization

@testable import WebPush

/// Push services that answer by a script, at once or when the test says so.
final class ScriptedOrigins: Sendable {
    struct Sent: Sendable {
        let origin: String
        let request: HTTPRequest
        let shared: SharedFields
    }

    private struct State {
        var script: @Sendable (Sent) -> OriginSender.Ending
        var sent: [Sent] = []
        var made: [HTTP2Settings] = []
        var stopped: [(origin: String, drain: Duration)] = []
        var isHeld = false
        var held: [@Sendable () -> Void] = []
    }

    private let state: Mutex<State>

    init(_ script: @escaping @Sendable (Sent) -> OriginSender.Ending = { _ in .status(201) }) {
        state = Mutex(State(script: script))
    }

    var sent: [Sent] { state.withLock { $0.sent } }
    /// The rules of each sender that was made.
    var made: [HTTP2Settings] { state.withLock { $0.made } }
    var stopped: [String] { state.withLock { $0.stopped.map(\.origin) } }
    var drains: [Duration] { state.withLock { $0.stopped.map(\.drain) } }

    /// Changes what later requests are answered.
    func set(_ script: @escaping @Sendable (Sent) -> OriginSender.Ending) { state.withLock { $0.script = script } }

    /// Keeps what comes from now on without an answer.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Returns once so much is held: messages are sealed before they are sent, on threads of their own.
    func untilHeld(_ count: Int) async {
        while state.withLock({ $0.held.count }) < count { await Task.yield() }
    }

    /// Answers what was held, and again at once what comes.
    func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            state.isHeld = false
            return state.held
        }
        for answer in held { answer() }
    }

    /// What a carrier connects by.
    var connect: WebPushCarrier.Connect {
        { [self] _, settings, _ in
            state.withLock { $0.made.append(settings) }
            let origin = settings.origin
            return OriginTransport(
                send: { self.send(Sent(origin: origin, request: $0, shared: $1), $2) },
                stop: { drain in self.state.withLock { $0.stopped.append((origin, drain)) } })
        }
    }

    private func send(_ sent: Sent, _ ended: @escaping OriginTransport.Ended) {
        let ending = state.withLock { state -> OriginSender.Ending? in
            state.sent.append(sent)
            let ending = state.script(sent)
            guard state.isHeld else { return ending }
            state.held.append { ended(ending) }
            return nil
        }
        if let ending { ended(ending) }
    }
}

extension OriginSender.Ending {
    /// A whole answer.
    static func status(_ status: Int, retryAfter: String? = nil, body: String = "") -> OriginSender.Ending {
        .answered(
            HTTPAnswer(
                status: status, body: Array(body.utf8),
                fields: retryAfter.map { [HeaderField("retry-after", $0)] } ?? []),
            isComplete: true)
    }
}

extension SharedFields {
    /// The values by their names.
    var values: [String: String] { Dictionary(fields.map { ($0.name, $0.value) }) { $1 } }
}
