package import Logging

/// A lasting trouble, such as a node that cannot be reached.
///
/// It decides which occurrences are logged. Those are the first, each change, one a minute while it lasts, and its end.
/// All times count from the same moment, which can be any.
package struct Trouble: Sendable {
    /// The time between two lines with the same words.
    package static let interval = Duration.seconds(60)
    /// The most words that are remembered, since a trouble can change back and forth.
    ///
    /// The oldest are forgotten.
    package static let mostWords = 8

    private var began: Duration?
    private var told: [String: Duration] = [:]
    private var heldBack: UInt64 = 0

    package init() {}

    /// Whether the trouble lasts.
    package var isOn: Bool { began != nil }

    /// Records an occurrence, described by `words`.
    ///
    /// Returns metadata for its log line, or nil if it was logged within the last minute.
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

    /// Ends the trouble.
    ///
    /// Returns metadata for the log line about its end, or nil if there was none.
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
    /// Adds the metadata of a `Trouble`.
    package func adding(_ summary: Logger.Metadata) -> Logger.Metadata { merging(summary) { own, _ in own } }
}
