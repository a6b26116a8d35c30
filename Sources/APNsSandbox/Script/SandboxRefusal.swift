/// New connections are turned away for a while.
public struct SandboxRefusal: Sendable, Equatable {
    /// How a connection is turned away.
    public enum Manner: String, Sendable, CaseIterable {
        /// Accepted and closed at once, before TLS.
        case close
        /// A fatal TLS alert (handshake_failure) answers the ClientHello.
        case alert
        /// Accepted, and then nothing: the handshake never ends.
        case silence
    }

    /// How long; zero ends an earlier refusal.
    public var duration: Duration
    /// How.
    public var manner: Manner

    /// Turns connections away for `duration` in the manner given.
    public init(for duration: Duration, by manner: Manner = .close) {
        self.duration = duration
        self.manner = manner
    }
}
