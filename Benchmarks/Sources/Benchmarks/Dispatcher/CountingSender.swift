import APNs
import Push
import Synchronization

/// Hands notifications on to the client, and tells when as many as expected are delivered.
final class CountingSender: NotificationSender {
    private struct State {
        var delivered = 0
        var bodyBytes = 0
        var failure: String?
    }

    private let client: APNsClient
    private let expected: Int
    private let state = Mutex(State())
    private let ended: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    init(client: APNsClient, expected: Int) {
        self.client = client
        self.expected = expected
        (ended, end) = AsyncStream.makeStream()
    }

    func send(_ request: APNsRequest) async -> SendOutcome {
        let outcome = await client.send(request)
        count(request, outcome)
        return outcome
    }

    func begin(_ request: APNsRequest, ended: @escaping @Sendable (SendOutcome) -> Void) -> Bool {
        client.begin(request) { [self] outcome in
            count(request, outcome)
            ended(outcome)
        }
    }

    private func count(_ request: APNsRequest, _ outcome: SendOutcome) {
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
