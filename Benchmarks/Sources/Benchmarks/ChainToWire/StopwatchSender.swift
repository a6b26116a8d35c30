import APNs
import Push
import Synchronization

/// Hands notifications on to the client, and notes when each was handed over and when it was answered.
final class StopwatchSender: NotificationSender {
    struct Times {
        let handedOver: ContinuousClock.Instant
        let answered: ContinuousClock.Instant
    }

    private let client: APNsClient
    private let state = Mutex<[String: Times]>([:])

    init(client: APNsClient) { self.client = client }

    /// By transaction.
    var times: [String: Times] { state.withLock { $0 } }

    func send(_ request: APNsRequest) async -> SendOutcome {
        let start = ContinuousClock.now
        let outcome = await client.send(request)
        note(request, outcome, since: start)
        return outcome
    }

    func begin(_ request: APNsRequest, ended: @escaping @Sendable (SendOutcome) -> Void) -> Bool {
        let start = ContinuousClock.now
        return client.begin(request) { [self] outcome in
            note(request, outcome, since: start)
            ended(outcome)
        }
    }

    private func note(_ request: APNsRequest, _ outcome: SendOutcome, since start: ContinuousClock.Instant) {
        let times = Times(handedOver: start, answered: .now)
        guard case .delivered = outcome else { return }
        state.withLock { $0[request.collapseID] = times }
    }
}
