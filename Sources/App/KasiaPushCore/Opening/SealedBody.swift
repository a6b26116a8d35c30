import KasiaProtocol
import Kaspa

/// What a message's writer has sealed, as it was written or carried: raw bytes, base64 or hex.
public struct SealedBody: Hashable, Sendable {
    /// The longest body that is read, in bytes: the hex of the longest payload that nodes relay, and more.
    public static let maximumBytes = 262_144

    /// What stands behind the last fixed field of the transaction's payload; of group messages everything after
    /// `gcomm:`.
    public let bytes: [UInt8]

    /// Takes a sealed body, or a transaction's whole payload with its root (`ciph_msg:` or `kchat:`), as it is or in
    /// hex; nil for more than `maximumBytes`.
    ///
    /// A body can be empty: then there is nothing to open, nor to fetch.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= SealedBody.maximumBytes else { return nil }
        self.bytes = SealedBody.body(ofPayload: bytes) ?? Hex.decode(bytes).flatMap(SealedBody.body) ?? bytes
    }

    private static func body(ofPayload payload: [UInt8]) -> [UInt8]? {
        guard case .operation(let parsed) = PayloadGrammar.classify(payload) else { return nil }
        return Array(payload[parsed.body])
    }

    /// All that the bytes can stand for, the likeliest first.
    ///
    /// Apps write base64 or hex on chain, and a carrier may have added a layer. Nothing of it is trusted: what is
    /// sealed says by itself whether it was read right.
    var readings: [[UInt8]] {
        let once = SealedBody.decodings(of: bytes)
        return once.flatMap(SealedBody.decodings) + once + [bytes]
    }

    private static func decodings(of bytes: [UInt8]) -> [[UInt8]] {
        [Hex.decode(bytes), Base64.decode(bytes)].compactMap { $0 }
    }
}
