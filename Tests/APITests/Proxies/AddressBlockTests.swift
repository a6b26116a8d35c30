import Testing

@testable import API

@Suite("AddressBlock and IPAddress")
struct AddressBlockTests {
    @Test(
        "text is read into its usual notation",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("10.1.2.3/8", "10.0.0.0/8"), ("0.0.0.0/0", "0.0.0.0/0"),
            ("192.168.1.255/25", "192.168.1.128/25"), ("192.168.1.1/32", "192.168.1.1"), ("::1", "::1"),
            ("FD00::1/8", "fd00::/8"), ("2001:db8::ffff/127", "2001:db8::fffe/127"), ("::1/128", "::1"),
            ("::ffff:10.0.0.1", "10.0.0.1"),
        ])
    func reads(text: String, notation: String) throws {
        #expect(try #require(AddressBlock(text)).description == notation)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "/", "10.0.0.1/", "/8", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0",
            "10.0.0.256",
            "[::1]", "::1%lo", "host", "10.0.0.1:80", " 10.0.0.1", "10.0.0.1\0", "::ffff:10.0.0.1/8",
            String(repeating: "1", count: 1_000), "10.0.0.0/99999999999999999999",
        ])
    func refuses(text: String) {
        #expect(AddressBlock(text) == nil)
    }

    @Test(
        "a block holds what its prefix says",
        arguments: [
            ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false),
            ("10.0.0.0/31", "10.0.0.1", true),
            ("10.0.0.0/31", "10.0.0.2", false), ("0.0.0.0/0", "255.1.2.3", true), ("0.0.0.0/0", "::1", false),
            ("::/0", "10.0.0.1", false), ("fd00::/9", "fd7f::1", true), ("fd00::/9", "fd80::1", false),
            ("127.0.0.1", "::ffff:127.0.0.1", true), ("::1", "::1", true), ("::1", "::2", false),
        ])
    func contains(block: String, address: String, isHeld: Bool) throws {
        let block = try #require(AddressBlock(block))
        #expect(block.contains(try #require(IPAddress(address))) == isHeld)
    }
}
