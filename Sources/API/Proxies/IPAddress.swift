#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An IPv4 or IPv6 address in binary form.
///
/// An IPv4 address mapped into IPv6 (`::ffff:10.0.0.1`), as a dual-stack socket reports it, is the IPv4 address.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes, in network order.
    package let bytes: [UInt8]

    /// Parses dotted IPv4 or colon IPv6 notation, without brackets, port or zone; nil for anything else.
    package init?(_ text: String) {
        // The longest notation has 45 characters; a zero byte would end the C string early.
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
        var address = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &address) == 1 {
            bytes = Array(address[..<4])
        } else if inet_pton(AF_INET6, text, &address) == 1 {
            let isMapped = address[..<10].allSatisfy { $0 == 0 } && address[10] == 0xFF && address[11] == 0xFF
            bytes = isMapped ? Array(address[12...]) : address
        } else {
            return nil
        }
    }

    init(masking address: IPAddress, toBits length: Int) {
        bytes = address.bytes.enumerated().map { index, byte in
            let kept = min(8, max(0, length - index * 8))
            return byte & ~UInt8(truncatingIfNeeded: 0xFF >> kept)
        }
    }

    /// 32 or 128.
    package var bitCount: Int { bytes.count * 8 }

    /// The usual notation, IPv6 shortened and in lower case.
    package var description: String {
        var text = [CChar](repeating: 0, count: 64)
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
