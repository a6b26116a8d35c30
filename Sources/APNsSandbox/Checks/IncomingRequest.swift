import NIOCore
import NIOHPACK
import NIOHTTP2

/// What one stream has sent so far: the headers that are checked, and the body up to its limit.
struct IncomingRequest {
    var method = ""
    var path = ""
    var authorization: String?
    var topic: String?
    var pushType: String?
    var priority: String?
    var expiration: String?
    var id: String?
    var collapseID: String?
    var hasDuplicateHeaders = false
    /// At most ``bodyLimit`` bytes; ``bodyLength`` is the number received.
    private(set) var body: [UInt8] = []
    private(set) var bodyLength = 0

    /// Apple's limit for the payload of a push of this type, in bytes.
    static func largestPayload(_ pushType: String?) -> Int { pushType == voip ? 5120 : 4096 }
    /// The push type of calls.
    private static let voip = "voip"
    /// The limit for a control request, whose body is a script, in bytes.
    static let largestControlBody = 256 * 1024

    /// Whether this is for the control endpoint.
    private(set) var isControl = false

    init(_ headers: HPACKHeaders) {
        for (name, value, _) in headers {
            switch name {
            case ":method": method = value
            case ":path": path = value
            case "authorization": set(\.authorization, value)
            case "apns-topic": set(\.topic, value)
            case "apns-push-type": set(\.pushType, value)
            case "apns-priority": set(\.priority, value)
            case "apns-expiration": set(\.expiration, value)
            case "apns-id": set(\.id, value)
            case "apns-collapse-id": set(\.collapseID, value)
            default: break
            }
        }
        isControl = path.hasPrefix(ControlEndpoint.prefix)
    }

    /// The bytes that are kept: the size of the largest acceptable body.
    private var bodyLimit: Int { isControl ? Self.largestControlBody : Self.largestPayload(pushType) }

    var isVoIP: Bool { pushType == Self.voip }

    var bodyIsTooLarge: Bool { exceedsLimit(by: 0) }

    func exceedsLimit(by tolerance: Int) -> Bool { bodyLength > bodyLimit + tolerance }

    /// Adds one DATA frame's bytes.
    ///
    /// Beyond the limit they are only counted.
    mutating func append(_ bytes: ByteBuffer) {
        bodyLength += bytes.readableBytes
        let room = bodyLimit - body.count
        if room > 0 { body.append(contentsOf: bytes.readableBytesView.prefix(room)) }
    }

    private mutating func set(_ field: WritableKeyPath<IncomingRequest, String?>, _ value: String) {
        if self[keyPath: field] == nil {
            self[keyPath: field] = value
        } else {
            hasDuplicateHeaders = true
        }
    }
}
