/// Who carries a push to a device.
///
/// The raw value stands in keys of the schedule, in four bits.
public enum CarrierName: UInt8, CaseIterable, Sendable {
    /// Apple's push service.
    case apns = 0
    /// Google's, Firebase Cloud Messaging.
    case fcm = 1
    /// Whichever service a browser, or a distributor of UnifiedPush, has chosen (RFC 8030).
    case webPush = 2

    /// The word for logs, metrics and `/ready`.
    public var label: String {
        switch self {
        case .apns: "apns"
        case .fcm: "fcm"
        case .webPush: "web_push"
        }
    }

    /// Whose service it is, in sentences.
    public var owner: String {
        switch self {
        case .apns: "Apple"
        case .fcm: "Google"
        case .webPush: "the push service"
        }
    }
}
