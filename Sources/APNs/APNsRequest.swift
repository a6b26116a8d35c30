/// One notification for one device.
///
/// Every request is sent as `apns-push-type: alert` with `apns-priority: 10`.
public struct APNsRequest: Sendable, Equatable {
    /// The device's token, lower-case hex; 1 to 512 letters and digits.
    public var deviceToken: String
    /// The encoded notification, JSON of at most 4096 bytes (Apple's limit, which Apple itself enforces).
    public var payload: [UInt8]
    /// `apns-id`: a canonical lower-case UUID, see ``NotificationID``.
    public var id: String
    /// `apns-collapse-id`: at most 64 bytes.
    public var collapseID: String
    /// `apns-expiration`: until when Apple keeps trying, UNIX seconds.
    public var expiration: UInt64

    /// The most bytes that are handed to the transport; what is longer is answered as too large without being sent.
    public static let maximumPayloadBytes = 65_536
    /// The most characters of an id, a collapse id, or a device token: Apple's tokens have 64 today and may grow, and a
    /// registration may have 512 digits (http-api.md).
    public static let maximumFieldBytes = 512

    /// Creates a request.
    public init(deviceToken: String, payload: [UInt8], id: String, collapseID: String, expiration: UInt64) {
        self.deviceToken = deviceToken
        self.payload = payload
        self.id = id
        self.collapseID = collapseID
        self.expiration = expiration
    }

    /// The field that cannot be put on the wire, if any: only what is safe in a path and a header line passes.
    var unusableField: String? {
        func isShort(_ text: String) -> Bool { (1...Self.maximumFieldBytes).contains(text.utf8.count) }
        guard isShort(deviceToken), deviceToken.utf8.allSatisfy(\.isASCIILetterOrDigit) else { return "deviceToken" }
        guard isShort(id), id.utf8.allSatisfy(\.isVisibleASCII) else { return "id" }
        guard isShort(collapseID), collapseID.utf8.allSatisfy(\.isVisibleASCII) else { return "collapseID" }
        return nil
    }
}

extension UInt8 {
    var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
    var isASCIILetterOrDigit: Bool { isASCIIDigit || (0x41...0x5a).contains(self) || (0x61...0x7a).contains(self) }
    /// Neither a space nor a control character, so it can end neither a header's name nor its line.
    var isVisibleASCII: Bool { (0x21...0x7e).contains(self) }
}
