public import KasiaPushCore

/// Asks that the phones of another wallet ring.
///
/// It is signed as `SignedCall.ring`: empty lists, and the caller's wallet as primary address.
public struct RingRequest: Hashable, Sendable, Encodable {
    /// What the call is.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// The caller invites.
        case invite
        /// The caller asks to be called.
        case request
    }

    /// The caller's device.
    public var token: PushToken
    /// The callee's wallet.
    public var callee: String
    /// A UUID in lower case.
    public var callID: String
    /// What the call is.
    public var kind: Kind
    /// Whether it is a video call.
    public var isVideo: Bool
    /// What is sealed between the two phones: at most 2 KB, in hex.
    public var payload: String?
    /// The signature of the caller's wallet.
    public var auth: RequestAuthorization

    /// Makes a request.
    public init(
        token: PushToken, callee: String, callID: String, kind: Kind, isVideo: Bool = false, payload: String? = nil,
        auth: RequestAuthorization
    ) {
        self.token = token
        self.callee = callee
        self.callID = callID
        self.kind = kind
        self.isVideo = isVideo
        self.payload = payload
        self.auth = auth
    }

    private enum CodingKeys: String, CodingKey {
        case kind, payload, auth
        case token = "device_token"
        case callee = "to_address"
        case callID = "call_id"
        case isVideo = "video"
    }
}
