package import Logging
import Synchronization

/// A `Trouble` for use from several tasks or threads.
package final class SharedTrouble: Sendable {
    private let trouble = Mutex(Trouble())
    private let uptime: @Sendable () -> Duration

    /// `uptime` is the time since any fixed moment.
    package init(uptime: @escaping @Sendable () -> Duration) { self.uptime = uptime }

    /// One by the machine's uptime.
    package convenience init() {
        let epoch = ContinuousClock.now
        self.init { ContinuousClock.now - epoch }
    }

    /// As `Trouble.met`.
    package func met(_ words: String) -> Logger.Metadata? {
        let now = uptime()
        return trouble.withLock { $0.met(words, now: now) }
    }

    /// As `Trouble.over`.
    package func over() -> Logger.Metadata? {
        let now = uptime()
        return trouble.withLock { $0.over(now: now) }
    }
}
