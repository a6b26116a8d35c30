/// One use of a device key: the key lives in a phone's secure element and signs with a counter that only grows.
public struct DeviceKeyUse: Hashable, Sendable {
    /// SHA-256 has so many.
    public static let idByteCount = 32

    /// The SHA-256 of the public key; 32 bytes.
    public var keyID: [UInt8]
    /// At least 1.
    public var counter: UInt64

    /// Made from what was signed.
    public init(keyID: [UInt8], counter: UInt64) {
        self.keyID = keyID
        self.counter = counter
    }
}

/// What is remembered of a device key.
struct DeviceKeyRecord: Equatable, Sendable {
    /// The counter of its last accepted use; 0 before the first.
    var counter: UInt64 = 0
    /// How many registrations name the key.
    var devices: UInt32 = 0
    /// Its number among the retired keys; nil while a registration names it.
    var retired: UInt64?

    init() {}

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 21)
        writer.write(counter)
        writer.write(devices)
        writer.write(optional: retired) { $0.write($1) }
        return writer.bytes
    }

    init(encoded: [UInt8]) throws(StoreError) {
        var reader = ByteReader(encoded)
        counter = try reader.readUInt64()
        devices = try reader.readUInt32()
        retired = try reader.readOptional { (reader) throws(StoreError) in try reader.readUInt64() }
        try reader.finish()
    }
}
