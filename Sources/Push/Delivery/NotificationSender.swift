public import APNs

/// Whoever hands notifications to Apple; `APNsClient`, or a script in a test.
public protocol NotificationSender: Sendable {
    /// Hands a notification over; `ended` is told once what became of it, on any thread, perhaps before this returns.
    func send(_ request: APNsRequest, ended: @escaping @Sendable (SendOutcome) -> Void)
    /// Sends a notification and returns what became of it.
    func send(_ request: APNsRequest) async -> SendOutcome
}

extension NotificationSender {
    /// Waits for what became of it, whether or not the task is cancelled.
    public func send(_ request: APNsRequest) async -> SendOutcome {
        await withCheckedContinuation { continuation in
            send(request) { continuation.resume(returning: $0) }
        }
    }
}

extension APNsClient: NotificationSender {}
