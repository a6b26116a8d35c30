import Clocks

/// How long to wait before a node that was left is tried again; the defaults are those of kaspad-grpc.md.
package struct ReconnectDelays: Hashable, Sendable {
    /// Before the first attempt after a healthy connection.
    package var initial: Duration
    /// The most that is waited; each attempt waits twice as long as the one before.
    package var maximum: Duration
    /// A connection that was followed for so long counts as healthy; a shorter one does not reset the delay, or a node
    /// that hangs up after each greeting would be called five times a second.
    package var healthyAfter: Duration

    /// Takes the waiting times.
    package init(
        initial: Duration = .milliseconds(200), maximum: Duration = .seconds(10), healthyAfter: Duration = .seconds(1)
    ) {
        self.initial = initial
        self.maximum = maximum
        self.healthyAfter = healthyAfter
    }

    var backoff: Backoff<Duration> { Backoff(first: initial, ceiling: maximum) }
}
