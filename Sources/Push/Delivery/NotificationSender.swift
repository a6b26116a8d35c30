public import APNs

/// Whoever hands notifications to Apple; `APNsClient`, or a script in a test.
public protocol NotificationSender: Sendable {
    func send(_ request: APNsRequest) async -> SendOutcome
}

extension APNsClient: NotificationSender {}
