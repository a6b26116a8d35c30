/// What the sandbox has received.
extension APNsSandbox {
    /// Counts since the start, or since ``forgetNotifications()``.
    public var counts: SandboxCounts {
        let connections = core.connectionCounts
        return SandboxCounts(
            openConnections: connections.open, connections: connections.total,
            requests: core.journal.total(.requests), notifications: core.journal.total(.notifications))
    }

    /// The accepted notifications that are kept, in the order in which they were accepted.
    public var notifications: [ReceivedNotification] { core.journal.entries(.notifications) }

    /// All requests that are kept, accepted or not, in the order in which they ended.
    public var requests: [ReceivedNotification] { core.journal.entries(.requests) }

    /// The accepted notifications to one device.
    public func notifications(to token: String) -> [ReceivedNotification] {
        notifications.filter { $0.token == token }
    }

    /// Waits until `count` notifications have been accepted (for `token` only, if given) and returns them.
    ///
    /// - Throws: ``SandboxError`` with the code `timeout`, or `stopped`; `CancellationError`.
    @discardableResult
    public func waitForNotifications(
        count: Int, to token: String? = nil, timeout: Duration = .seconds(30)
    ) async throws -> [ReceivedNotification] {
        try await core.journal.wait(for: count, in: .notifications, timeout: timeout) { entry in
            token.map { $0 == entry.token } ?? true
        }
    }

    /// Waits until `count` matching requests have ended, answered or not, and returns them.
    ///
    /// - Throws: ``SandboxError`` with the code `timeout`, or `stopped`; `CancellationError`.
    @discardableResult
    public func waitForRequests(
        count: Int, timeout: Duration = .seconds(30),
        where matches: @escaping @Sendable (ReceivedNotification) -> Bool = { _ in true }
    ) async throws -> [ReceivedNotification] {
        try await core.journal.wait(for: count, in: .requests, timeout: timeout, where: matches)
    }

    /// Requests as they end, from now on.
    ///
    /// A reader that falls `limit` behind loses the oldest.
    public func requestStream(bufferingNewest limit: Int = 10_000) -> AsyncStream<ReceivedNotification> {
        core.journal.stream(bufferingNewest: limit)
    }

    /// Empties the logs and their counts.
    public func forgetNotifications() {
        core.journal.forget()
    }
}

/// The counts of connections, requests and notifications.
public struct SandboxCounts: Sendable, Equatable {
    /// HTTP/2 connections that are open now.
    public let openConnections: Int
    /// HTTP/2 connections ever opened.
    public let connections: Int
    /// Requests that have ended, answered or not.
    public let requests: Int
    /// Notifications accepted.
    public let notifications: Int
}
