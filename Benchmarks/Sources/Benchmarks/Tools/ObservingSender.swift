import APNs
import Push

/// Hands notifications on to the client, with a task or without as the dispatcher asks, and looks at each answer.
protocol ObservingSender: NotificationSender {
    var client: APNsClient { get }
    /// Before the dispatcher has the answer; `start` is when the notification was handed over.
    func observe(_ request: APNsRequest, _ outcome: SendOutcome, since start: ContinuousClock.Instant)
}

extension ObservingSender {
    func send(_ request: APNsRequest) async -> SendOutcome {
        let start = ContinuousClock.now
        let outcome = await client.send(request)
        observe(request, outcome, since: start)
        return outcome
    }

    func begin(_ request: APNsRequest, ended: @escaping @Sendable (SendOutcome) -> Void) -> Bool {
        let start = ContinuousClock.now
        return client.begin(request) { outcome in
            observe(request, outcome, since: start)
            ended(outcome)
        }
    }
}
