/// When to try which node next: every attempt takes the next URL in turn, and waits twice as long as the last one did.
package struct ReconnectSchedule: Sendable {
    /// The waiting times.
    package struct Delays: Hashable, Sendable {
        /// Before the first attempt after a healthy connection.
        package var initial: Duration
        /// The most that is waited.
        package var maximum: Duration
        /// A connection that was followed for so long counts as healthy; a shorter one does not reset the delay,
        /// or a node that hangs up after each greeting would be called five times a second.
        package var healthyAfter: Duration

        /// Takes the waiting times; the defaults are those of kaspad-grpc.md.
        package init(
            initial: Duration = .milliseconds(200), maximum: Duration = .seconds(10),
            healthyAfter: Duration = .seconds(1)
        ) {
            self.initial = initial
            self.maximum = maximum
            self.healthyAfter = healthyAfter
        }
    }

    private let delays: Delays
    private let urlCount: Int
    private var nextDelay: Duration

    /// The position of the URL to try.
    package private(set) var urlIndex = 0

    /// Starts at the first of `urlCount` URLs, at least one.
    package init(urlCount: Int, delays: Delays) {
        self.urlCount = max(1, urlCount)
        self.delays = delays
        nextDelay = delays.initial
    }

    /// Turns to the next URL and says how long to wait before it is tried, after a node was followed for so long, or
    /// for nil when the attempt did not get so far.
    package mutating func attemptEnded(followed: Duration?) -> Duration {
        urlIndex = (urlIndex + 1) % urlCount
        if let followed, followed >= delays.healthyAfter {
            nextDelay = delays.initial
        }
        let delay = min(nextDelay, delays.maximum)
        nextDelay = min(delay * 2, delays.maximum)
        return delay
    }
}
