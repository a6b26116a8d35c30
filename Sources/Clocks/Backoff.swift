/// The pauses between attempts that fail: each is twice as long as the one before, up to a ceiling.
///
/// A pause is a `Duration`, or a number of milliseconds.
package struct Backoff<Pause: AdditiveArithmetic & Comparable & Sendable>: Sendable {
    /// The pause after the first failure.
    package let first: Pause
    /// The longest pause.
    package let ceiling: Pause

    /// A first pause beyond the ceiling is cut to it; neither is negative.
    package init(first: Pause, ceiling: Pause) {
        self.first = min(first, ceiling)
        self.ceiling = ceiling
    }

    /// The pause after a failure that `failures` others went before.
    package func pause(after failures: Int) -> Pause {
        var (pause, left) = (first, failures)
        // The ceiling is reached after a few steps; a first pause of zero stays what it is.
        while left > 0, pause != .zero, pause != ceiling {
            pause = next(after: pause)
            left -= 1
        }
        return pause
    }

    /// The pause that follows on this one; on none at all, the first.
    package func next(after pause: Pause) -> Pause {
        guard pause < ceiling, pause <= ceiling - pause else { return ceiling }
        return max(first, pause + pause)
    }
}

extension Backoff where Pause == UInt64 {
    /// The same with full jitter: the part `random`, 0 ..< 1, of the pause.
    package func jittered(after failures: Int, random: Double) -> UInt64 {
        let pause = pause(after: failures)
        let part = Double(pause) * min(max(random, 0), 1)
        return part < Double(pause) ? UInt64(part) : pause
    }
}
