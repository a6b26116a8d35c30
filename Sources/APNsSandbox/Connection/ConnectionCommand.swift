/// A command to an open connection.
enum ConnectionCommand: Sendable {
    /// Send GOAWAY.
    case goAway(SandboxGoAway)
    /// Close the TCP connection without GOAWAY or close_notify.
    case close
    /// Announce this stream limit.
    case maximumStreams(Int)
}
