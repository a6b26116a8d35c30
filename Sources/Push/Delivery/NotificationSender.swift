public import APNs

/// Sends notifications to Apple: `APNsClient`, or a script in tests.
public protocol NotificationSender: Sendable {
    /// Sends a notification. Calls `ended` once with the outcome, on any thread, perhaps before this returns.
    func send(_ request: APNsRequest, ended: @escaping @Sendable (SendOutcome) -> Void)
    /// Sends a notification and returns the outcome.
    func send(_ request: APNsRequest) async -> SendOutcome
}

extension NotificationSender {
    /// Waits for the outcome, even if the task is cancelled.
    public func send(_ request: APNsRequest) async -> SendOutcome {
        await withCheckedContinuation { continuation in
            send(request) { continuation.resume(returning: $0) }
        }
    }
}

extension APNsClient: NotificationSender {}
