import Crypto

/// A device's key in the store: the first 16 bytes of the SHA-256 of its token's bytes.
///
/// A token is personal data and may be 32 to 256 bytes long; its hash has one length, spreads evenly and can be logged.
public struct DeviceID: Hashable, Sendable, CustomStringConvertible {
    package static let byteCount = 16
    /// Deliveries are split by the first four bits of the device.
    public static let partitionCount: UInt8 = 16

    private let high: UInt64
    private let low: UInt64

    /// Names the device that has `token` (raw bytes).
    public init(token: [UInt8]) {
        self.init(bytes: Array(SHA256.hash(data: token).prefix(DeviceID.byteCount)))
    }

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The first sixteen bytes, big-endian; missing ones count as zero.
    package init(bytes: [UInt8]) {
        var words: (high: UInt64, low: UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes.prefix(DeviceID.byteCount)) }
        high = UInt64(bigEndian: words.high)
        low = UInt64(bigEndian: words.low)
    }

    /// The 16 bytes that stand in keys.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(DeviceID.byteCount)
        append(to: &bytes)
        return bytes
    }

    /// Adds the 16 bytes to the end of a buffer.
    func append(to buffer: inout [UInt8]) {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { buffer.append(contentsOf: $0) }
    }

    /// 0 ..< `partitionCount`.
    public var partition: UInt8 { UInt8(truncatingIfNeeded: high >> 60) }

    /// The first four bytes in hex: enough to tell devices apart in a log, not enough to find the token.
    public var description: String {
        let digits = String(high >> 32, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

extension DeviceID: Comparable {
    /// The order of the bytes, in which rows stand.
    public static func < (device: DeviceID, other: DeviceID) -> Bool {
        (device.high, device.low) < (other.high, other.low)
    }
}
