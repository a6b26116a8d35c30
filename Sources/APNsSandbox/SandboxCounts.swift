/// How much a sandbox has seen.
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
