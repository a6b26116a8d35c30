import APNs
import Push
import Synchronization

/// Hands notifications on to the client, and notes when each was handed over and when it was answered.
final class StopwatchSender: ObservingSender {
    struct Times {
        let handedOver: ContinuousClock.Instant
        let answered: ContinuousClock.Instant
    }

    let client: APNsClient
    private let state = Mutex<[String: Times]>([:])

    init(client: APNsClient) { self.client = client }

    /// By transaction.
    var times: [String: Times] { state.withLock { $0 } }

    func observe(_ request: APNsRequest, _ outcome: APNsOutcome, since start: ContinuousClock.Instant) {
        let times = Times(handedOver: start, answered: .now)
        guard case .delivered = outcome else { return }
        state.withLock { $0[request.collapseID] = times }
    }
}
