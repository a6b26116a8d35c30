import Logging

/// Suppresses repeated lines: in each window, the first lines of a kind are written and the rest are counted.
///
/// Lines with the same logger, level and message are one kind; messages are constant, and only metadata differs. The
/// number of suppressed lines is logged with the next line of the kind, or before the next line of any kind.
struct LogRepeats: Sendable {
    /// Lines of a kind that are written in a window.
    static let burst: UInt64 = 20
    /// The window's length in milliseconds.
    static let window: Int64 = 10_000
    /// The most kinds that are tracked; the code has some hundred.
    ///
    /// Lines of further kinds are all written.
    static let maximumKinds = 1_000

    struct Kind: Hashable, Sendable {
        var label: String
        var level: Logger.Level
        var message: String
    }

    /// What to do with a line.
    struct Decision: Equatable, Sendable {
        var isWritten: Bool
        /// Kinds whose window has ended, with the number of suppressed lines.
        var ended: [Ended] = []

        struct Ended: Equatable, Sendable {
            var kind: Kind
            var count: UInt64
        }
    }

    private struct Window {
        var start: Int64
        var seen: UInt64 = 0
    }

    private var windows: [Kind: Window] = [:]
    /// No window with suppressed lines ends before this; nil while there is none.
    private var nextEnd: Int64?

    /// Decides about a line at `now`, milliseconds by the log's clock, which may jump.
    mutating func decide(_ kind: Kind, now: Int64) -> Decision {
        var decision = Decision(isWritten: true, ended: endWindows(now: now))
        // An operator who sets a lower level wants every line.
        guard kind.level >= .info else { return decision }
        var window = windows[kind] ?? Window(start: now)
        if isOver(window, now: now) { window = Window(start: now) }
        window.seen += 1
        if windows[kind] != nil || windows.count < LogRepeats.maximumKinds { windows[kind] = window }
        if window.seen > LogRepeats.burst {
            decision.isWritten = false
            nextEnd = min(nextEnd ?? .max, window.start + LogRepeats.window)
        }
        return decision
    }

    private func isOver(_ window: Window, now: Int64) -> Bool {
        now < window.start || now - window.start >= LogRepeats.window
    }

    private mutating func endWindows(now: Int64) -> [Decision.Ended] {
        guard let end = nextEnd, now >= end || now < end - LogRepeats.window else { return [] }
        var ended: [Decision.Ended] = []
        nextEnd = nil
        for (kind, window) in windows {
            if isOver(window, now: now) {
                windows[kind] = nil
                if window.seen > LogRepeats.burst {
                    ended.append(Decision.Ended(kind: kind, count: window.seen - LogRepeats.burst))
                }
            } else if window.seen > LogRepeats.burst {
                nextEnd = min(nextEnd ?? .max, window.start + LogRepeats.window)
            }
        }
        return ended.sorted { $0.kind.message < $1.kind.message }
    }
}
