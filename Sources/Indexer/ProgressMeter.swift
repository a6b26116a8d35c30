/// The progress of a catch-up.
package struct CatchUpProgress: Equatable, Sendable {
    /// The DAA scores left up to the node's.
    package var behind: UInt64
    /// DAA scores a second; nil before there are two measurements.
    package var rate: Double?

    /// Whole seconds left at this rate; nil without a rate.
    package var secondsLeft: UInt64? {
        guard let rate, rate > 0 else { return nil }
        let seconds = Double(behind) / rate
        return seconds < 1e15 ? UInt64(seconds.rounded(.up)) : nil
    }
}

/// Measures a catch-up, and says when a log line is due.
struct ProgressMeter: Sendable {
    /// Milliseconds between two log lines.
    ///
    /// The rate is measured over this time.
    static let interval: UInt64 = 10_000

    private struct Mark {
        let score: UInt64
        let time: UInt64
    }

    private var mark: Mark?
    private var rate: Double?
    /// Whether this catch-up was logged.
    private(set) var hasTold = false

    /// Records the cursor's position at `now`, in milliseconds.
    ///
    /// `isTold` is true when a log line is due.
    mutating func record(
        score: UInt64, of target: UInt64, at now: UInt64
    ) -> (progress: CatchUpProgress, isTold: Bool) {
        let behind = target - min(target, score)
        guard let mark, mark.score <= score, mark.time <= now else {
            self.mark = Mark(score: score, time: now)
            rate = nil
            return (CatchUpProgress(behind: behind, rate: nil), false)
        }
        let elapsed = now - mark.time
        if elapsed > 0 { rate = Double(score - mark.score) * 1000 / Double(elapsed) }
        guard elapsed >= ProgressMeter.interval else { return (CatchUpProgress(behind: behind, rate: rate), false) }
        self.mark = Mark(score: score, time: now)
        hasTold = true
        return (CatchUpProgress(behind: behind, rate: rate), true)
    }
}
