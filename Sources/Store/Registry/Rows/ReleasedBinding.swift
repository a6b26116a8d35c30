public import Kaspa

/// Whose a token was that somebody unregistered without the wallet and without a key that was stored
/// (`deploy/SECURITY.md`): for seven days nobody else binds it.
public struct ReleasedBinding: Equatable, Sendable {
    /// How long it holds, milliseconds.
    public static let lifetime: UInt64 = 7 * 86_400_000

    /// The wallet that the token was bound to.
    public var wallet: Address
    /// When it was unregistered, milliseconds since 1970.
    public var releasedAt: UInt64

    /// Whether `other` may bind the token at this time.
    func lets(_ other: Address, at time: UInt64) -> Bool {
        other == wallet || time >= releasedAt && time - releasedAt >= ReleasedBinding.lifetime
    }

    /// The first byte of a key under which a binding stands, and of one that says when it was released.
    enum Tag: UInt8 {
        case binding = 0
        case time = 1
    }

    static func key(_ device: DeviceID) -> [UInt8] { [Tag.binding.rawValue] + device.bytes }

    static func timeKey(_ releasedAt: UInt64, _ device: DeviceID) -> [UInt8] {
        timeBound(releasedAt) + device.bytes
    }

    /// The first possible key of a time.
    static func timeBound(_ time: UInt64) -> [UInt8] {
        var writer = ByteWriter(capacity: 9 + DeviceID.byteCount)
        writer.write(Tag.time.rawValue)
        writer.write(time)
        return writer.bytes
    }

    /// The device at the end of a time's key; nil for a key of another form.
    static func device(ofTimeKey key: [UInt8]) -> DeviceID? {
        guard key.first == Tag.time.rawValue, key.count == 9 + DeviceID.byteCount else { return nil }
        return DeviceID(bytes: Array(key.suffix(DeviceID.byteCount)))
    }
}

extension ReleasedBinding {
    /// Time 8, `address`.
    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 8 + 34)
        writer.write(releasedAt)
        return writer.bytes + wallet.storageKey
    }

    init(encoded: [UInt8], network: Network) throws(StoreError) {
        var reader = ByteReader(encoded)
        releasedAt = try reader.readUInt64()
        guard let wallet = Address(storageKey: encoded.dropFirst(8), network: network) else {
            throw ByteReader.corrupt("released binding")
        }
        self.wallet = wallet
    }
}
