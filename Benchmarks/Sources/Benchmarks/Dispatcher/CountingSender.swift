import APNs
import Push
import Synchronization

/// Hands notifications on to the client, and tells when as many as expected are delivered.
final class CountingSender: ObservingSender {
    private struct State {
        var delivered = 0
        var bodyBytes = 0
        var failure: String?
    }

    let client: APNsClient
    private let expected: Int
    private let state = Mutex(State())
    private let ended: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    init(client: APNsClient, expected: Int) {
        self.client = client
        self.expected = expected
        (ended, end) = AsyncStream.makeStream()
    }

    func observe(_ request: APNsRequest, _ outcome: APNsOutcome, since start: ContinuousClock.Instant) {
        let isLast = state.withLock { state in
            state.bodyBytes += request.payload.count
            guard case .delivered = outcome else {
                state.failure = outcome.label
                return true
            }
            state.delivered += 1
            return state.delivered == expected
        }
        if isLast { end.finish() }
    }

    /// Returns when all are delivered.
    ///
    /// - Throws: ``BenchmarkError`` for the first that is not.
    func waitUntilDelivered() async throws {
        for await _ in ended {}
        if let failure = state.withLock({ $0.failure }) {
            throw BenchmarkError("A notification was not delivered: \(failure)")
        }
    }

    /// The mean length of the bodies so far.
    var meanBodyBytes: Int { state.withLock { $0.delivered > 0 ? $0.bodyBytes / $0.delivered : 0 } }
}
