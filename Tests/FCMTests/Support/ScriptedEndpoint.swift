import HTTP2Client
import Synchronization

@testable import FCM

/// An origin that answers by a script, at once or when the test says so.
final class ScriptedEndpoint: Sendable {
    typealias Ended = @Sendable (OriginSender.Ending) -> Void
    typealias Script = @Sendable (_ number: Int, HTTPRequest) -> OriginSender.Ending

    private struct State {
        var script: Script
        var requests: [(request: HTTPRequest, shared: SharedFields?)] = []
        var isHeld = false
        var held: [() -> Void] = []
        var stops = 0
        var observers: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    /// The first request has the number 1.
    init(_ script: @escaping Script) { state = Mutex(State(script: script)) }

    var requests: [HTTPRequest] { state.withLock { $0.requests.map(\.request) } }
    var shared: [SharedFields] { state.withLock { $0.requests.compactMap(\.shared) } }
    var stops: Int { state.withLock { $0.stops } }

    /// Changes what later requests are answered.
    func set(_ script: @escaping Script) { state.withLock { $0.script = script } }

    /// Keeps what comes from now on without an answer.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Answers what was held, and again at once what comes.
    func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            state.isHeld = false
            return state.held
        }
        for answer in held { answer() }
    }

    /// Returns when a request is held.
    func holds() async {
        await withCheckedContinuation { continuation in
            let isHolding = state.withLock { state in
                if state.held.isEmpty { state.observers.append(continuation) }
                return !state.held.isEmpty
            }
            if isHolding { continuation.resume() }
        }
    }

    func send(_ request: HTTPRequest, _ shared: SharedFields?, _ ended: @escaping Ended) {
        let (answer, observers) = state.withLock { state -> ((() -> Void)?, [CheckedContinuation<Void, Never>]) in
            state.requests.append((request, shared))
            let (script, number) = (state.script, state.requests.count)
            let answer: @Sendable () -> Void = { ended(script(number, request)) }
            guard state.isHeld else { return (answer, []) }
            state.held.append(answer)
            defer { state.observers = [] }
            return (nil, state.observers)
        }
        answer?()
        for observer in observers { observer.resume() }
    }

    func exchange(_ request: HTTPRequest) async -> OriginSender.Ending {
        await withCheckedContinuation { continuation in
            send(request, nil) { continuation.resume(returning: $0) }
        }
    }

    var transport: FCMTransport {
        FCMTransport {
            self.send($0, $1, $2)
        } stop: { _ in
            self.state.withLock { $0.stops += 1 }
        }
    }
}

extension OriginSender.Ending {
    static func answer(_ status: Int, _ body: String = "", retryAfter: String? = nil) -> OriginSender.Ending {
        .answered(
            HTTPAnswer(
                status: status, body: Array(body.utf8),
                fields: retryAfter.map { [HeaderField("retry-after", $0)] } ?? []), isComplete: true)
    }

    /// An access token of this name.
    static func token(_ name: String, seconds: Int = 3_600) -> OriginSender.Ending {
        answer(200, #"{"access_token":"\#(name)","expires_in":\#(seconds),"token_type":"Bearer"}"#)
    }
}
