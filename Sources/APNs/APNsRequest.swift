/// One notification for one device, sent with `apns-priority: 10`.
public struct APNsRequest: Sendable, Equatable {
    /// What kind of push it is: `apns-push-type`, and the headers that go with it.
    public enum Kind: Sendable, Hashable {
        /// Shown to the user; stored by Apple until `expiration`, and replaced by the next of its `collapseID`.
        case alert
        /// Rings the phone. Its topic is the app's with `.voip` at its end; Apple tries it once and stores nothing.
        case voip

        /// Apple's limit for the payload, in bytes; Apple itself enforces it.
        public var applePayloadLimit: Int {
            switch self {
            case .alert: 4096
            case .voip: 5120
            }
        }
    }

    /// What kind of push it is.
    public var kind: Kind
    /// The device's token of this kind, lower-case hex; 1 to 512 letters and digits.
    public var deviceToken: String
    /// The encoded notification, JSON of at most ``Kind/applePayloadLimit`` bytes.
    public var payload: [UInt8]
    /// `apns-id`: a canonical lower-case UUID, see ``NotificationID``.
    public var id: String
    /// `apns-collapse-id`: at most 64 bytes; not sent with a VoIP push.
    public var collapseID: String
    /// `apns-expiration`: until when Apple keeps trying, UNIX seconds; 0 with a VoIP push.
    public var expiration: UInt64
    /// The host that the token is good at; nil is the operator's own.
    public var host: APNsHost?
    /// Whether the other host is asked, once, when this one answers BadDeviceToken.
    public var mayTryOtherHost: Bool

    /// The most bytes that are handed to the transport; what is longer is answered as too large without being sent.
    public static let maximumPayloadBytes = 65_536
    /// The most characters of an id, a collapse id, or a device token: Apple's tokens have 64 today and may grow, and a
    /// registration may have 512 digits.
    public static let maximumFieldBytes = 512

    /// Creates an alert.
    public init(
        deviceToken: String, payload: [UInt8], id: String, collapseID: String, expiration: UInt64,
        host: APNsHost? = nil, mayTryOtherHost: Bool = false
    ) {
        kind = .alert
        self.deviceToken = deviceToken
        self.payload = payload
        self.id = id
        self.collapseID = collapseID
        self.expiration = expiration
        self.host = host
        self.mayTryOtherHost = mayTryOtherHost
    }

    /// Creates a VoIP push.
    public init(
        voipToken: String, payload: [UInt8], id: String, host: APNsHost? = nil, mayTryOtherHost: Bool = false
    ) {
        self.init(
            deviceToken: voipToken, payload: payload, id: id, collapseID: "", expiration: 0, host: host,
            mayTryOtherHost: mayTryOtherHost)
        kind = .voip
    }

    /// The field that cannot be put on the wire, if any: only what is safe in a path and a header line passes.
    var unusableField: String? {
        func isOf(_ text: String, _ isAllowed: (UInt8) -> Bool) -> Bool {
            guard (1...Self.maximumFieldBytes).contains(text.utf8.count) else { return false }
            // Faster than the view's own `allSatisfy`, which is for texts whose bytes do not lie together.
            return text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isAllowed) }
                ?? text.utf8.allSatisfy(isAllowed)
        }
        guard isOf(deviceToken, \.isASCIILetterOrDigit) else { return "deviceToken" }
        guard isOf(id, \.isVisibleASCII) else { return "id" }
        guard kind == .alert else { return nil }
        return isOf(collapseID, \.isVisibleASCII) ? nil : "collapseID"
    }
}

extension UInt8 {
    var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
    var isASCIILetterOrDigit: Bool { isASCIIDigit || (0x41...0x5a).contains(self) || (0x61...0x7a).contains(self) }
    /// Neither a space nor a control character, so it can end neither a header's name nor its line.
    var isVisibleASCII: Bool { (0x21...0x7e).contains(self) }
}
