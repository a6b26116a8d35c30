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
