#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An IP address in its binary form.
package enum IPAddress: Sendable, Equatable {
    /// In the order of their writing, the first number highest.
    case v4(UInt32)
    /// The upper and the lower half.
    case v6(UInt64, UInt64)

    /// Takes the address out of a `sockaddr`; nil for other families and for one that is cut short.
    init?(socketAddress bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemoryLayout<sockaddr>.size else { return nil }
        switch Int32(bytes.loadUnaligned(as: sockaddr.self).sa_family) {
        case AF_INET where bytes.count >= MemoryLayout<sockaddr_in>.size:
            self = .v4(UInt32(bigEndian: bytes.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
        case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
            let address = bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self = withUnsafeBytes(of: address) { IPAddress(v6: $0) }
        default: return nil
        }
    }

    /// Reads the text of an address as `inet_pton` does: four decimal numbers, or IPv6 without brackets and zone.
    package init?(_ text: String) {
        var (v4, v6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &v4) == 1 {
            self = .v4(UInt32(bigEndian: v4.s_addr))
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            self = withUnsafeBytes(of: v6) { IPAddress(v6: $0) }
        } else {
            return nil
        }
    }

    private init(v6 bytes: UnsafeRawBufferPointer) {
        self = .v6(
            UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    /// Whether it may belong to any machine of the Internet, and to none of a network of our own.
    ///
    /// False for everything that the registries of IANA call private, local, shared, reserved, for documentation or for
    /// several receivers (RFC 6890 and its successors), and for IPv6 addresses that stand for such an IPv4 address.
    package var isPublic: Bool {
        switch self {
        case .v4(let address): !IPAddress.reserved.contains { $0.contains(address) }
        case .v6(let upper, let lower): IPAddress.isPublic(upper, lower)
        }
    }

    private static func isPublic(_ upper: UInt64, _ lower: UInt64) -> Bool {
        // NAT64 (RFC 6052), 64:ff9b::/96.
        if upper == 0x0064_ff9b_0000_0000, lower >> 32 == 0 { return v4(UInt32(truncatingIfNeeded: lower)).isPublic }
        // Only 2000::/3 is given out to machines. What is outside of it covers ::, ::1, IPv4-mapped and -compatible
        // addresses, 64:ff9b:1::/48, 100::/64, fc00::/7, fe80::/10, fec0::/10 and ff00::/8.
        guard upper >> 61 == 0b001 else {
            return isMapped(upper, lower) && v4(UInt32(truncatingIfNeeded: lower)).isPublic
        }
        return switch upper >> 32 {
        // Teredo: the server's IPv4 address is in it, and the client's, inverted.
        case 0x2001_0000:
            v4(UInt32(truncatingIfNeeded: upper)).isPublic && v4(~UInt32(truncatingIfNeeded: lower)).isPublic
        // The rest of 2001::/23 is for protocols: benchmarks, ORCHID and the like.
        case 0x2001_0001...0x2001_01ff: false
        // Documentation.
        case 0x2001_0db8: false
        // 6to4.
        case 0x2002_0000...0x2002_ffff: v4(UInt32(truncatingIfNeeded: upper >> 16)).isPublic
        // Documentation, 3fff::/20.
        case 0x3fff_0000...0x3fff_0fff: false
        default: true
        }
    }

    /// Whether it is `::ffff:a.b.c.d`.
    ///
    /// The older `::a.b.c.d` is given out no more, and `::1` is one of it.
    private static func isMapped(_ upper: UInt64, _ lower: UInt64) -> Bool { upper == 0 && lower >> 32 == 0xffff }

    /// A range of IPv4 addresses.
    private struct Range {
        let first: UInt32
        let bits: Int

        init(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32, _ bits: Int) {
            first = a << 24 | b << 16 | c << 8 | d
            self.bits = bits
        }

        func contains(_ address: UInt32) -> Bool { (address ^ first) >> UInt32(32 - bits) == 0 }
    }

    /// What is not public in IPv4.
    private static let reserved = [
        Range(0, 0, 0, 0, 8),  // this network
        Range(10, 0, 0, 0, 8),  // private
        Range(100, 64, 0, 0, 10),  // shared by a provider's customers
        Range(127, 0, 0, 0, 8),  // loopback
        Range(169, 254, 0, 0, 16),  // link-local
        Range(172, 16, 0, 0, 12),  // private
        Range(192, 0, 0, 0, 24),  // for protocols
        Range(192, 0, 2, 0, 24),  // documentation
        Range(192, 88, 99, 0, 24),  // relays of 6to4, which are no more
        Range(192, 168, 0, 0, 16),  // private
        Range(198, 18, 0, 0, 15),  // benchmarks
        Range(198, 51, 100, 0, 24),  // documentation
        Range(203, 0, 113, 0, 24),  // documentation
        Range(224, 0, 0, 0, 4),  // several receivers
        Range(240, 0, 0, 0, 4),  // reserved, and 255.255.255.255 to everybody
    ]
}
