import APNs
import Push

/// Hands notifications on to the client, and looks at each answer.
protocol ObservingSender: NotificationSender {
    var client: APNsClient { get }
    /// Before the dispatcher has the answer; `start` is when the notification was handed over.
    func observe(_ request: APNsRequest, _ outcome: APNsOutcome, since start: ContinuousClock.Instant)
}

extension ObservingSender {
    func together(_ body: () -> Void) { client.together(body) }

    func send(_ request: APNsRequest, ended: @escaping @Sendable (APNsOutcome) -> Void) {
        let start = ContinuousClock.now
        client.send(request) { outcome in
            observe(request, outcome, since: start)
            ended(outcome)
        }
    }
}
