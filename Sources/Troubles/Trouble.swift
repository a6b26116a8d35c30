package import Logging

/// A trouble that is met again and again: says which times are worth a line in the log.
///
/// These are its beginning, each change, one time a minute while it goes on, and its end. All times are since any fixed
/// moment, and those of one trouble since the same one.
package struct Trouble: Sendable {
    /// Between two lines that say the same.
    package static let interval = Duration.seconds(60)
    /// Words that are kept in mind, as a trouble can change back and forth; of more the oldest are forgotten.
    package static let mostWords = 8

    private var began: Duration?
    private var told: [String: Duration] = [:]
    private var heldBack: UInt64 = 0

    package init() {}

    /// Whether it has begun and is not over.
    package var isOn: Bool { began != nil }

    /// It was met; `words` say what it looks like now.
    ///
    /// Returns what to add to the line about it, or nil if the last minute's line says it already.
    package mutating func met(_ words: String, now: Duration) -> Logger.Metadata? {
        if let last = told[words], now >= last, now - last < Trouble.interval {
            heldBack += 1
            return nil
        }
        if told[words] == nil, told.count >= Trouble.mostWords, let oldest = told.min(by: { $0.value < $1.value }) {
            told[oldest.key] = nil
        }
        told[words] = now
        defer {
            began = began ?? now
            heldBack = 0
        }
        return summary(now)
    }

    /// It is over; returns what to add to the line that says so, or nil if there was none.
    package mutating func over(now: Duration) -> Logger.Metadata? {
        guard isOn else { return nil }
        defer { self = Trouble() }
        return summary(now)
    }

    private func summary(_ now: Duration) -> Logger.Metadata {
        guard let began else { return [:] }
        var metadata: Logger.Metadata = ["trouble.seconds": "\(max(0, (now - began).components.seconds))"]
        if heldBack > 0 { metadata["log.held_back"] = "\(heldBack)" }
        return metadata
    }
}

extension Logger.Metadata {
    /// With what `Trouble` adds.
    package func adding(_ summary: Logger.Metadata) -> Logger.Metadata { merging(summary) { own, _ in own } }
}
