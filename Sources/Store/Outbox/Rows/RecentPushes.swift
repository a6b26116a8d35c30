/// A kind of push of which a device gets a limited number within any hour, since anybody can cause it.
///
/// The raw value is what the store writes.
public enum HourlyLimit: UInt8, CaseIterable, Sendable {
    /// Plain transfers to watch-only addresses.
    case funds = 0
    /// Messages to the device's inbox, from senders that it does not watch.
    case inbox = 1
    /// Broadcasts in channels that it lists.
    case broadcast = 2
    /// Payments and handshakes from senders that it does not watch, all of them together.
    case strangers = 3

    /// Pushes within any hour; more are suppressed, and counted.
    public var pushes: Int { self == .strangers ? 120 : 30 }

    /// Whether what is beyond the limit is announced by one more push within the hour, which carries no payload, and
    /// is in the log, so that the app finds it when it asks what it missed.
    public var isLogged: Bool { self == .strangers }

    /// The row's key in `recent_funds`; funds had one before there were others.
    func key(of device: DeviceID) -> [UInt8] { device.bytes + (self == .funds ? [] : [rawValue]) }
}

/// The latest pushes to one device that an hourly limit counts.
struct RecentPushes: Equatable {
    /// Milliseconds.
    static let hour: UInt64 = 3_600_000
    /// A bit in a stored event number: the push is the one that announces others.
    private static let summaryFlag: UInt64 = 1 << 63

    struct Push: Equatable {
        /// Milliseconds since 1970.
        var time: UInt64
        var event: UInt64
        /// Whether it was the one beyond the limit that announces others.
        var isSummary = false
    }

    /// What a limit says about one more push.
    enum Admission: Equatable {
        case told
        /// It is the first beyond the limit within the hour.
        case summary
        /// It was told before.
        case repeated
        /// The limit of the last hour is reached.
        case full
    }

    /// The oldest first; at most as many as the limit says and, where there are summaries, one of them.
    private(set) var pushes: [Push] = []

    init() {}

    /// Notes a push at `now`, if it is told.
    ///
    /// A clock that was set back by more than an hour begins anew: pushes later than `now` do not count.
    mutating func admit(event: UInt64, within limit: HourlyLimit, now: UInt64) -> Admission {
        guard !pushes.contains(where: { $0.event == event }) else { return .repeated }
        pushes.removeAll { max(now, $0.time) - min(now, $0.time) >= RecentPushes.hour }
        let hasSummary = pushes.contains(where: \.isSummary)
        let isBeyond = pushes.count - (hasSummary ? 1 : 0) >= limit.pushes
        guard !isBeyond || (limit.isLogged && !hasSummary) else { return .full }
        pushes.append(Push(time: now, event: event, isSummary: isBeyond))
        return isBeyond ? .summary : .told
    }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 4 + pushes.count * 16)
        writer.write(list: pushes) {
            $0.write($1.time)
            $0.write($1.event | ($1.isSummary ? RecentPushes.summaryFlag : 0))
        }
        return writer.bytes
    }

    init(encoded: [UInt8]) throws(StoreError) {
        var reader = ByteReader(encoded)
        pushes = try reader.readList { (reader) throws(StoreError) in
            let (time, event) = (try reader.readUInt64(), try reader.readUInt64())
            let flag = RecentPushes.summaryFlag
            return Push(time: time, event: event & ~flag, isSummary: event & flag != 0)
        }
        try reader.finish()
    }
}
