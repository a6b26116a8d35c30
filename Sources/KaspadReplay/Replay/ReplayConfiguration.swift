import Foundation

/// How a replay node listens and plays.
package struct ReplayConfiguration: Sendable {
    /// The address to listen on: an IPv4 or IPv6 address, or `localhost`.
    package var host = "127.0.0.1"

    /// The port to listen on; 0 takes a free one.
    package var port = 0

    /// PEM files of a certificate and its key, for TLS; nil for plain HTTP/2.
    package var tls: (certificatePath: String, keyPath: String)?

    /// When entries are told.
    package var pace = ReplayPace.realTime(factor: 1)

    /// Waited for before the entries after the recording's first moment are told; nothing if it is nil, and false means
    /// that they never are.
    package var begins: (@Sendable () async -> Bool)?

    /// Which times blocks have.
    package var blockTimes = ReplayBlockTimes.recorded

    /// The most chain blocks in one answer of GetVirtualChainFromBlockV2; the node's is about ten merge sets.
    package var batch = 10

    /// Notifications and answers that may wait for a slow subscriber; at real time it is cut off when they are more.
    package var queueCapacity = 4096

    /// The version that the node says it has.
    package var serverVersion = "2.0.0"

    /// The time in milliseconds since 1970.
    package var now: @Sendable () -> UInt64 = { ReplayConfiguration.wallClock() }

    /// Made with all defaults; change what matters.
    package init() {}
}

/// Which times a replay's blocks have.
package enum ReplayBlockTimes: Hashable, Sendable {
    /// Those of the recording.
    case recorded
    /// Moved to the present; see `ReplayTimes`.
    case moved
    /// Each block's is the moment at which it is told first: the chain's time goes with the clock, at any pace.
    case ofTelling
}

/// When a replay tells its entries.
package enum ReplayPace: Hashable, Sendable {
    /// At the recorded offsets divided by a factor over 0: 1 is as it happened, 10 is ten times faster.
    case realTime(factor: Double)
    /// One after the other, waiting only for subscribers that read slowly.
    case asFastAsPossible
    /// When `ReplayNode.advance(to:)` says so.
    case stepped
}

extension ReplayConfiguration {
    /// The machine's time in milliseconds since 1970.
    package static func wallClock() -> UInt64 {
        UInt64(max(0, Date().timeIntervalSince1970 * 1000))
    }
}
