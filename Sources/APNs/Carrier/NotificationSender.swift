/// Sends notifications to Apple: ``APNsClient``, or a script in tests.
public protocol NotificationSender: Sendable {
    /// Sends a notification. Calls `ended` once with the outcome, on any thread, perhaps before this returns.
    func send(_ request: APNsRequest, ended: @escaping @Sendable (APNsOutcome) -> Void)
    /// Sends a notification and returns the outcome.
    func send(_ request: APNsRequest) async -> APNsOutcome
    /// Runs `body`, which sends several notifications: they may leave when it ends, together.
    func together(_ body: () -> Void)
    /// Does what requests wait for, until a graceful shutdown or a cancellation.
    func run() async throws
}

extension NotificationSender {
    /// Waits for the outcome, even if the task is cancelled.
    public func send(_ request: APNsRequest) async -> APNsOutcome {
        await withCheckedContinuation { continuation in
            send(request) { continuation.resume(returning: $0) }
        }
    }

    /// Each leaves when it is sent.
    public func together(_ body: () -> Void) { body() }

    /// Nothing has to be waited for.
    public func run() async throws {}
}

extension APNsClient: NotificationSender {}
