import NIOCore
import NIOHPACK
import NIOHTTP2

/// What one stream has sent so far: the headers that its carrier checks, and the body up to its limit.
struct IncomingRequest {
    var method = ""
    var path = ""
    /// The service that it is for.
    private(set) var carrier = SandboxCarrier.apns
    /// The host and port that it was sent to, as the client names them.
    var authority: String?
    var authorization: String?
    /// Apple's topic, or a Web Push message's.
    var topic: String?
    var pushType: String?
    var priority: String?
    var expiration: String?
    var id: String?
    var collapseID: String?
    var timeToLive: String?
    var urgency: String?
    var contentEncoding: String?
    var contentType: String?
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
    /// The limit for a message to FCM, in bytes: room for its data with each byte escaped, and as much beside it.
    static let largestGoogleMessage = 64 * 1024
    /// The limit for a request for an access token, in bytes.
    static let largestTokenRequest = 16 * 1024

    /// Whether this is for the control endpoint.
    private(set) var isControl = false

    init(_ headers: HPACKHeaders, routes: CarrierRoutes = CarrierRoutes()) {
        if routes.google || routes.webPush {
            carrier = routes.carrier(of: headers.first(name: ":method") ?? "", headers.first(name: ":path") ?? "")
        }
        for (name, value, _) in headers {
            switch name {
            case ":method": method = value
            case ":path": path = value
            case ":authority": authority = value
            case "authorization": set(\.authorization, value)
            default: carrier == .apns ? readApple(name, value) : readOther(name, value)
            }
        }
        isControl = path.hasPrefix(ControlEndpoint.prefix)
    }

    private mutating func readApple(_ name: String, _ value: String) {
        switch name {
        case "apns-topic": set(\.topic, value)
        case "apns-push-type": set(\.pushType, value)
        case "apns-priority": set(\.priority, value)
        case "apns-expiration": set(\.expiration, value)
        case "apns-id": set(\.id, value)
        case "apns-collapse-id": set(\.collapseID, value)
        default: break
        }
    }

    private mutating func readOther(_ name: String, _ value: String) {
        switch name {
        case "topic": set(\.topic, value)
        case "ttl": set(\.timeToLive, value)
        case "urgency": set(\.urgency, value)
        case "content-encoding": set(\.contentEncoding, value)
        case "content-type": set(\.contentType, value)
        default: break
        }
    }

    /// The content type without its parameters, in lower case.
    var mediaType: String? {
        contentType.map { type in
            let name = type.prefix { $0 != ";" && $0 != " " }
            return name.lowercased()
        }
    }

    /// The bytes that are kept: the size of the largest acceptable body.
    private var bodyLimit: Int {
        if isControl { return Self.largestControlBody }
        switch carrier {
        case .apns: return Self.largestPayload(pushType)
        case .fcm: return Self.largestGoogleMessage
        case .googleToken: return Self.largestTokenRequest
        case .webPush, .unifiedPush: return WebPushService.largestBody
        }
    }

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
