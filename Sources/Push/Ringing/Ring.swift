import JSON
public import Kaspa

/// A call that a wallet's phones are to ring for.
///
/// `API` checks shapes and limits.
public struct Ring: Sendable, Equatable {
    /// What the caller's phone says it is.
    public enum Kind: String, CaseIterable, Sendable {
        case invite
        case request
    }

    /// The wallet that has proved who it is.
    public var caller: Address
    /// The wallet whose phones ring.
    public var callee: Address
    /// A lower-case UUID.
    public var callID: String
    /// What the caller's phone says it is.
    public var kind: Kind
    /// Whether the caller asks for a picture.
    public var isVideo: Bool
    /// Hexadecimal digits, sealed between the two phones; at most 4,096.
    public var payload: String

    /// Takes a call as it was asked for.
    public init(caller: Address, callee: Address, callID: String, kind: Kind, isVideo: Bool, payload: String) {
        self.caller = caller
        self.callee = callee
        self.callID = callID
        self.kind = kind
        self.isVideo = isVideo
        self.payload = payload
    }

    /// The VoIP push, at most 5 KB; `time` is the server's, milliseconds since 1970.
    func notification(at time: UInt64) -> [UInt8] {
        var json = JSONWriter(capacity: 512 + payload.utf8.count)
        json.object { json in
            json.member("call_id", callID)
            json.member("kind", kind.rawValue)
            json.member("video", isVideo)
            json.member("sender", caller.description)
            json.member("timestamp", time)
            json.member("payload", payload)
        }
        return json.bytes
    }
}
