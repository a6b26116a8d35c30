import Clocks

/// When the next connection may be opened: Apple takes connections that are opened and closed quickly for an attack.
///
/// A connection that lived for five seconds may be replaced at once. After one that did not, the first successor may
/// also be opened at once, the second after 200 ms, and so on doubling to 10 seconds.
struct ReconnectPace {
    /// A connection that lived this long was a good one.
    static let goodLife = Duration.seconds(5)
    static let backoff = Backoff<Duration>(first: .milliseconds(200), ceiling: .seconds(10))

    private var shortLives = 0
    private var lastEnd: Duration?

    /// A connection was given up at `now`, after it had been established for `life`; nil if it never was.
    mutating func connectionEnded(at now: Duration, life: Duration?) {
        shortLives = life.map { $0 >= Self.goodLife } == true ? 0 : shortLives + 1
        lastEnd = now
    }

    /// How long to wait at `now` before a connection is opened.
    func pause(at now: Duration) -> Duration {
        guard let lastEnd, shortLives > 1 else { return .zero }
        return max(.zero, lastEnd + Self.backoff.pause(after: shortLives - 2) - now)
    }
}
