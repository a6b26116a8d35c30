import APNs
import HTTP2Client
import Push
import Synchronization

/// Apple as a script: it answers at once, or holds a notification until the test answers it.
final class ScriptedSender: NotificationSender {
    /// What to answer to a request at its n-th attempt, from 1; nil holds it.
    typealias Script = @Sendable (_ request: APNsRequest, _ attempt: Int) -> APNsOutcome?

    /// One request and its answer.
    struct Exchange: Sendable {
        let request: APNsRequest
        let attempt: Int
        var outcome: APNsOutcome?
    }

    private struct State {
        var script: Script
        var exchanges: [Exchange] = []
        /// How many of the exchanges are held or answered: between its arrival and that, an answer would be lost.
        var announced = 0
        var attempts: [String: Int] = [:]
        var held: [String: CheckedContinuation<APNsOutcome, Never>] = [:]
        var inFlight: [String: Int] = [:]
        var most = 0
        var overlaps: [String] = []
        var observers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state: Mutex<State>

    init(_ script: @escaping Script = { request, _ in .delivered(apnsID: request.id) }) {
        state = Mutex(State(script: script))
    }

    /// All requests, in the order in which they came.
    var exchanges: [Exchange] { state.withLock { $0.exchanges } }
    var count: Int { state.withLock { $0.exchanges.count } }
    var inFlight: Int { state.withLock { $0.inFlight.count } }
    /// The most that were in flight at once.
    var most: Int { state.withLock { $0.most } }
    /// Tokens that had two notifications in flight: there must be none.
    var overlaps: [String] { state.withLock { $0.overlaps } }

    func requests(to token: [UInt8]) -> [APNsRequest] {
        let text = String.hex(token)
        return exchanges.map(\.request).filter { $0.deviceToken == text }
    }

    func use(_ script: @escaping Script) { state.withLock { $0.script = script } }

    /// Answers a notification that is held.
    func answer(_ id: String, _ outcome: APNsOutcome) {
        state.withLock { $0.held.removeValue(forKey: id) }?.resume(returning: outcome)
    }

    /// Answers all that are held.
    func answerAll(_ outcome: APNsOutcome) {
        let held = state.withLock { state in
            defer { state.held = [:] }
            return state.held
        }
        for continuation in held.values { continuation.resume(returning: outcome) }
    }

    /// Returns when so many requests have come in all; throws when the test's time is over.
    func requests(count: Int) async throws -> [APNsRequest] {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReached = state.withLock { state in
                    guard state.announced < count, !Task.isCancelled else { return true }
                    state.observers.append((count, continuation))
                    return false
                }
                if isReached { continuation.resume() }
            }
        } onCancel: {
            let observers = state.withLock { state in
                defer { state.observers = [] }
                return state.observers
            }
            for observer in observers { observer.continuation.resume() }
        }
        try Task.checkCancellation()
        return exchanges.map(\.request)
    }

    func send(_ request: APNsRequest, ended: @escaping @Sendable (APNsOutcome) -> Void) {
        let index = arrive(request)
        Task {
            let outcome: APNsOutcome
            if let answer = script(for: index) {
                await Task.yield()
                outcome = answer
            } else {
                outcome = await hold(request.id)
            }
            state.withLock { state in
                state.exchanges[index].outcome = outcome
                state.inFlight[request.deviceToken] = nil
            }
            ended(outcome)
        }
    }

    private func arrive(_ request: APNsRequest) -> Int {
        state.withLock { state in
            if state.inFlight.updateValue(1, forKey: request.deviceToken) != nil {
                state.overlaps.append(request.deviceToken)
            }
            state.most = max(state.most, state.inFlight.count)
            state.attempts[request.id, default: 0] += 1
            state.exchanges.append(Exchange(request: request, attempt: state.attempts[request.id] ?? 1))
            return state.exchanges.count - 1
        }
    }

    private func script(for index: Int) -> APNsOutcome? {
        let (script, exchange) = state.withLock { ($0.script, $0.exchanges[index]) }
        let outcome = script(exchange.request, exchange.attempt)
        if outcome != nil { announce() }
        return outcome
    }

    /// Whoever waits for the request finds it held.
    private func hold(_ id: String) async -> APNsOutcome {
        await withCheckedContinuation { continuation in
            state.withLock { $0.held[id] = continuation }
            announce()
        }
    }

    private func announce() {
        let reached = state.withLock { state in
            state.announced += 1
            let held = state.observers.filter { $0.count > state.announced }
            defer { state.observers = held }
            return state.observers.filter { $0.count <= state.announced }
        }
        for observer in reached { observer.continuation.resume() }
    }
}

extension String {
    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + Self(byte, radix: 16) }.joined()
    }
}
