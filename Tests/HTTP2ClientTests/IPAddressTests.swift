import Foundation
import TestRandom
import Testing

@testable import HTTP2Client

@Suite("IP address")
struct IPAddressTests {
    @Test(
        "an IPv4 range that is not public begins and ends where it should",
        arguments: [
            ("0.0.0.0", "0.255.255.255"), ("10.0.0.0", "10.255.255.255"), ("100.64.0.0", "100.127.255.255"),
            ("127.0.0.0", "127.255.255.255"), ("169.254.0.0", "169.254.255.255"), ("172.16.0.0", "172.31.255.255"),
            ("192.0.0.0", "192.0.0.255"), ("192.0.2.0", "192.0.2.255"), ("192.88.99.0", "192.88.99.255"),
            ("192.168.0.0", "192.168.255.255"), ("198.18.0.0", "198.19.255.255"), ("198.51.100.0", "198.51.100.255"),
            ("203.0.113.0", "203.0.113.255"), ("224.0.0.0", "255.255.255.255"),
        ])
    func v4(first: String, last: String) throws {
        let (first, last) = (try number(first), try number(last))
        #expect(!IPAddress.v4(first).isPublic && !IPAddress.v4(last).isPublic)
        #expect(!IPAddress.v4(first + (last - first) / 2).isPublic)
        if first > 0 { #expect(IPAddress.v4(first - 1).isPublic) }
        if last < .max { #expect(IPAddress.v4(last + 1).isPublic) }
    }

    @Test(
        "other IPv4 addresses are public",
        arguments: ["1.0.0.0", "8.8.8.8", "17.0.0.1", "142.250.1.1", "172.15.0.1", "192.0.1.1", "223.255.255.255"])
    func publicV4(text: String) { #expect(IPAddress(text)?.isPublic == true) }

    @Test(
        "IPv6 addresses, at the bounds of each range",
        arguments: [
            ("::", false), ("::1", false), ("::2", false), ("::8.8.8.8", false), ("::10.0.0.1", false),
            ("::fffe:8.8.8.8", false), ("::ffff:0:8.8.8.8", false), ("::1:ffff:8.8.8.8", false),
            ("64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff", false), ("64:ff9b:1::8.8.8.8", false),
            ("64:ff9b::1:808:808", false), ("100::", false), ("100::1", false),
            ("1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false), ("2001:1::", false),
            ("2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", false), ("2001:200::", true),
            ("2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", true), ("2001:db8::", false),
            ("2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", false), ("2001:db9::", true),
            ("2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true), ("2003::", true), ("2606:4700::1111", true),
            ("2a00:1450:4001::200e", true), ("3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true), ("3fff::", false),
            ("3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", false), ("3fff:1000::", true),
            ("3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true), ("4000::", false), ("5f00::1", false),
            ("fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false), ("fc00::", false), ("fd00::1", false),
            ("fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false), ("fe00::", false), ("fe7f:ffff::", false),
            ("fe80::1", false), ("febf:ffff::1", false), ("fec0::", false), ("feff:ffff::", false), ("ff00::", false),
            ("ff02::1", false), ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false),
        ])
    func v6(text: String, isPublic: Bool) { #expect(IPAddress(text)?.isPublic == isPublic) }

    @Test(
        "an IPv6 address that stands for an IPv4 address is what that is",
        arguments: [
            "8.8.8.8", "9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0", "127.0.0.1", "169.254.169.254",
            "172.15.255.255", "172.16.0.0", "192.168.1.1", "0.0.0.0", "255.255.255.255", "100.64.0.0", "1.0.0.0",
        ])
    func embedded(text: String) throws {
        let isPublic = try #require(IPAddress(text)).isPublic
        let bits = try number(text)
        let (upper, lower) = (String(bits >> 16, radix: 16), String(bits & 0xffff, radix: 16))
        let inverted = ~bits
        let hidden = "\(String(inverted >> 16, radix: 16)):\(String(inverted & 0xffff, radix: 16))"
        for address in [
            "::ffff:\(text)", "64:ff9b::\(text)", "2002:\(upper):\(lower)::", "2002:\(upper):\(lower):ffff::1",
            // Teredo: by way of this server, and to this client.
            "2001:0:\(upper):\(lower)::f7f7:f7f7", "2001:0:808:808::\(hidden)",
        ] { #expect(IPAddress(address)?.isPublic == isPublic, "\(address)") }
    }

    @Test("random addresses within a reserved range are never public, however they are written")
    func random() throws {
        var random = SeededRandom()
        let ranges: [(String, Int)] = [
            ("0.0.0.0", 8), ("10.0.0.0", 8), ("100.64.0.0", 10), ("127.0.0.0", 8), ("169.254.0.0", 16),
            ("172.16.0.0", 12), ("192.168.0.0", 16), ("198.18.0.0", 15), ("224.0.0.0", 4), ("240.0.0.0", 4),
        ]
        for (first, bits) in ranges {
            for _ in 0..<200 {
                let address = try number(first) | UInt32.random(in: 0...(UInt32.max >> UInt32(bits)), using: &random)
                #expect(!IPAddress.v4(address).isPublic, "seed \(random.seed)")
                #expect(!IPAddress.v6(0, 0xffff << 32 | UInt64(address)).isPublic, "seed \(random.seed)")
                #expect(!IPAddress.v6(0x0064_ff9b << 32, UInt64(address)).isPublic, "seed \(random.seed)")
                let sixToFour = 0x2002 << 48 | UInt64(address) << 16 | UInt64.random(in: 0...0xffff, using: &random)
                #expect(!IPAddress.v6(sixToFour, random.next()).isPublic, "seed \(random.seed)")
            }
        }
    }

    @Test(
        "is read from its own text only",
        arguments: ["", "10.0.0", "10.0.0.01", "0x7f.0.0.1", "[::1]", "fe80::1%lo", "1:2", "a"])
    func notAnAddress(text: String) { #expect(IPAddress(text) == nil) }

    @Test("is read from a socket's address, and from nothing that is shorter or of another family")
    func socketAddress() {
        var v4 = sockaddr_in()
        v4.sin_family = sa_family_t(AF_INET)
        v4.sin_addr.s_addr = UInt32(0x0a00_0001).bigEndian
        withUnsafeBytes(of: v4) {
            #expect(IPAddress(socketAddress: $0) == .v4(0x0a00_0001))
            #expect(IPAddress(socketAddress: UnsafeRawBufferPointer(rebasing: $0.dropLast())) == nil)
        }
        var v6 = sockaddr_in6()
        v6.sin6_family = sa_family_t(AF_INET6)
        #expect(inet_pton(AF_INET6, "::ffff:10.0.0.1", &v6.sin6_addr) == 1)
        withUnsafeBytes(of: v6) {
            #expect(IPAddress(socketAddress: $0) == .v6(0, 0xffff_0a00_0001))
            #expect(IPAddress(socketAddress: UnsafeRawBufferPointer(rebasing: $0.dropLast())) == nil)
        }
        v4.sin_family = sa_family_t(AF_UNIX)
        withUnsafeBytes(of: v4) { #expect(IPAddress(socketAddress: $0) == nil) }
    }

    private func number(_ text: String) throws -> UInt32 {
        guard case .v4(let number)? = IPAddress(text) else { throw POSIXError(.EINVAL) }
        return number
    }
}
