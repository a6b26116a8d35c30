import Synchronization

/// Lets the log be read for a few streams at once; the others wait in turn, client by client.
///
/// A place is held while one stretch is read, not while its events are sent: a reader who takes them slowly holds none.
final class Replays: Sendable {
    static let atOnce = 4

    private struct State {
        var free: Int
        var waiting = FairQueue<CheckedContinuation<Void, Never>>()
    }

    private let state: Mutex<State>

    init(atOnce: Int = atOnce) {
        state = Mutex(State(free: atOnce))
    }

    /// How many wait for a place.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` in the client's turn.
    func inTurn<Result: Sendable>(
        _ client: [UInt8], _ body: () async throws -> Result
    ) async throws -> Result {
        await enter(client)
        defer { leave() }
        // Its reader may have gone while it waited.
        try Task.checkCancellation()
        return try await body()
    }

    private func enter(_ client: [UInt8]) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.add(continuation, for: client)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state in
            let next = state.waiting.next()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }
}
