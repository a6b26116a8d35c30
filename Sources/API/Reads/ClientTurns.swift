import Metrics
import Synchronization

/// Limits how much work runs at once.
///
/// The rest waits, and clients take turns.
final class ClientTurns: Sendable {
    private typealias Turn = CheckedContinuation<Bool, Never>

    private struct State {
        var running = 0
        var queue = FairQueue<Turn>()
    }

    private enum Entry { case begun, waiting(refused: Turn?), refused }

    private let atOnce: Int
    private let maximum: Int
    private let state = Mutex(State())
    /// Shows the number of waiting calls.
    private let gauge: Gauge?

    /// `maximum` may wait at once.
    ///
    /// A further one is refused, or takes the place of one of a client that has more waiting.
    init(atOnce: Int, waiting maximum: Int = .max, gauge: Gauge? = nil) {
        self.atOnce = atOnce
        self.maximum = maximum
        self.gauge = gauge
    }

    /// The number of waiting calls, without exempt ones.
    var waitingCount: Int { state.withLock { $0.queue.count } }

    /// Runs `work` in the client's turn, unless its task is cancelled while it waits.
    ///
    /// An exempt call is never refused and not counted. Errors: `TooManyWaiting`, `CancellationError`, and those of
    /// `work`.
    func run<Result: Sendable>(
        for client: [UInt8], isExempt: Bool = false, _ work: () async throws -> Result
    ) async throws -> Result {
        guard await begin(client, isExempt: isExempt) else { throw TooManyWaiting() }
        defer { end() }
        try Task.checkCancellation()
        return try await work()
    }

    private func begin(_ client: [UInt8], isExempt: Bool) async -> Bool {
        await withCheckedContinuation { turn in
            let entry = change { state -> Entry in
                guard state.running >= atOnce else {
                    state.running += 1
                    return .begun
                }
                var refused: Turn?
                if !isExempt, state.queue.count >= maximum {
                    refused = state.queue.removeNewest(toAdmit: client)
                    guard refused != nil else { return .refused }
                }
                state.queue.add(turn, for: client, isExempt: isExempt)
                return .waiting(refused: refused)
            }
            switch entry {
            case .begun: turn.resume(returning: true)
            case .refused: turn.resume(returning: false)
            case .waiting(let refused): refused?.resume(returning: false)
            }
        }
    }

    private func end() {
        let next = change { state -> Turn? in
            let next = state.queue.next()
            if next == nil { state.running -= 1 }
            return next
        }
        next?.resume(returning: true)
    }

    /// Changes the state and updates the gauge.
    private func change<Result>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in
            defer { gauge?.record(state.queue.count) }
            return body(&state)
        }
    }
}

/// The limit of waiting calls is reached.
struct TooManyWaiting: Error {}
