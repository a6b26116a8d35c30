/// What the sandbox tells an open connection to do.
enum ConnectionCommand: Sendable {
    /// Send GOAWAY.
    case goAway(SandboxGoAway)
    /// End the TCP connection without a word.
    case close
    /// Let the client open so many streams.
    case maximumStreams(Int)
}
