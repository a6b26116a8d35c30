import Kaspa

/// A VoIP push: somebody's phone asks that this one rings.
///
/// PushKit wants that every such push is shown as a call, so a push that cannot be read is a call, too.
public struct CallPush: Hashable, Sendable {
    /// What the caller's phone says it is.
    public enum Kind: String, Sendable, CaseIterable {
        /// The caller hosts the call.
        case invite
        /// The caller asks the callee to host it.
        case request
    }

    /// The call, a lower-case UUID.
    public let callID: String
    /// What the caller's phone says it is.
    public let kind: Kind
    /// Whether the caller asks for a picture.
    public let isVideo: Bool
    /// The wallet that the service has proven to call.
    public let sender: String
    /// The service's time, in milliseconds since 1970.
    public let timestamp: UInt64
    /// What the caller's phone tells this one; nil when there is nothing.
    public let sealed: SealedBody?
    /// The service's signature in base64; see `PushSignature`.
    public internal(set) var signature: String?
}

extension CallPush {
    /// Reads the six members; nil when one of the first five is not what it should be.
    init?(_ push: PushMembers) {
        guard let callID = push.text("call_id"), CallPush.isLowerCaseUUID(callID),
            let kind = push.text("kind").flatMap(Kind.init(rawValue:)),
            let sender = push.text("sender").flatMap({ try? Address(parsing: $0) }),
            let timestamp = push.number("timestamp")
        else { return nil }
        self.callID = callID
        self.kind = kind
        isVideo = push.flag("video")
        self.sender = sender.description
        self.timestamp = timestamp
        sealed = push.text("payload").flatMap { SealedBody(Array($0.utf8)) }
        signature = push.text("sig")
    }

    private static func isLowerCaseUUID(_ text: String) -> Bool {
        text.utf8.count == 36
            && text.utf8.enumerated().allSatisfy { index, byte in
                switch index {
                case 8, 13, 18, 23: byte == UInt8(ascii: "-")
                default: Hex.digit(byte) != nil && !(0x41...0x5a).contains(byte)
                }
            }
    }
}
