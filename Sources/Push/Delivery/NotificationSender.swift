public import APNs

/// Whoever hands notifications to Apple; `APNsClient`, or a script in a test.
public protocol NotificationSender: Sendable {
    /// Sends a notification and returns what became of it.
    func send(_ request: APNsRequest) async -> SendOutcome
    /// The same without a task, if nothing has to be waited for before: `ended` is told once, on any thread.
    ///
    /// False: nothing was done, and `send` is to be used.
    func begin(_ request: APNsRequest, ended: @escaping @Sendable (SendOutcome) -> Void) -> Bool
}

extension NotificationSender {
    /// Every notification has a task.
    public func begin(_ request: APNsRequest, ended: @escaping @Sendable (SendOutcome) -> Void) -> Bool { false }
}

extension APNsClient: NotificationSender {}
