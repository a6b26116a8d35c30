/// One use of a device key: the key lives in a phone's secure element and signs with a counter that only grows.
public struct DeviceKeyUse: Hashable, Sendable {
    /// SHA-256 has so many.
    public static let idByteCount = 32

    /// The SHA-256 of the public key; 32 bytes.
    public var keyID: [UInt8]
    /// At least 1; 0 for a key of which no use is known.
    public var counter: UInt64

    /// Made from what was signed.
    public init(keyID: [UInt8], counter: UInt64) {
        self.keyID = keyID
        self.counter = counter
    }

    /// Whether this use may follow `last`: another key begins anew, the same one has counted on.
    public func mayFollow(_ last: DeviceKeyUse?) -> Bool {
        guard let last, last.keyID == keyID else { return true }
        return counter > last.counter
    }
}
