import Testing

@testable import Kaspa

@Suite("Addresses")
struct AddressTests {
    static let schnorr = "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"
    static let ecdsa = "kaspa:qypheh66zy6yyf3ydhmzwg08lda8vjwgxnvh4mhnxfkhfufhmlerzzge0wc8hpw"
    static let key = Hex.decode("7cdf5a11344226246df62721e7fb7a7649c834d97aeef3326d74f137dff23109")

    /// The text of any data under a checksum that fits, well-formed or not.
    private func text(_ bytes: [UInt8], _ change: (inout [UInt8]) -> Void = { _ in }) -> String {
        var digits = SlowAddressText.digits(of: bytes)
        change(&digits)
        return SlowAddressText.text(ofDigits: digits, prefix: "kaspa")
    }

    private func code(of text: String) -> AddressError.Code? {
        do throws(AddressError) {
            _ = try Address(parsing: text)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        "each way to be wrong has its own code",
        arguments: [
            ("", .missingPrefix),
            ("kaspa", .missingPrefix),
            (":", .unknownPrefix),
            ("kaspa:", .wrongChecksum),
            ("kaspa:qqqqqqq", .wrongChecksum),
            ("kaspb:\(schnorr.dropFirst(6))", .unknownPrefix),
            ("KASPA:\(schnorr.dropFirst(6))", .mixedCase),
            ("kaspa:\(schnorr.dropFirst(6).uppercased())", .mixedCase),
            ("Kaspa:\(schnorr.dropFirst(6))", .mixedCase),
            ("\(schnorr.dropLast())L", .mixedCase),
            ("kaspa:\(schnorr)", .invalidCharacter),
            ("\(schnorr) ", .invalidCharacter),
            ("\(schnorr.dropLast())\u{0}", .invalidCharacter),
            ("\(schnorr.dropLast())q", .wrongChecksum),
        ] as [(String, AddressError.Code)])
    func codes(text: String, expected: AddressError.Code) {
        #expect(code(of: text) == expected)
    }

    @Test(
        "a version that no address has is refused although the checksum fits",
        arguments: [2, 7, 9, 128, 255] as [UInt8])
    func unknownVersion(version: UInt8) {
        #expect(code(of: text([version] + [UInt8](repeating: 7, count: 32))) == .unknownVersion)
    }

    @Test(
        "only the version's own payload length is read",
        arguments: [(0, 31), (0, 32), (0, 33), (1, 32), (1, 33), (1, 34), (8, 31), (8, 32), (8, 33), (0, 0)]
            as [(UInt8, Int)])
    func payloadLength(version: UInt8, count: Int) throws {
        let good = try #require(Address.Version(rawValue: version)).payloadByteCount == count
        let payload = [UInt8](repeating: 7, count: count)
        #expect(code(of: text([version] + payload)) == (good ? nil : .wrongLength))
        let key = [version] + payload
        #expect((Address(storageKey: key, network: .mainnet) != nil) == good)
        let known = try #require(Address.Version(rawValue: version))
        #expect((Address(prefix: .kaspa, version: known, payload: payload) != nil) == good)
    }

    @Test("a second spelling of the same bytes is refused: spare bits must be zero, and no digit too many")
    func canonical() {
        let bytes = [UInt8(0)] + [UInt8](repeating: 7, count: 32)
        #expect(code(of: text(bytes)) == nil)
        #expect(code(of: text(bytes) { $0[$0.count - 1] |= 1 }) == .wrongLength)
        #expect(code(of: text(bytes) { $0.append(0) }) == .wrongLength)
        #expect(code(of: text([])) == .wrongLength)
    }

    @Test("text up to the limit is read, longer text is refused unread", arguments: [127, 128, 129, 1_000_000])
    func textLimit(count: Int) {
        let text = "kaspa:" + String(repeating: "q", count: count - 6)
        #expect(code(of: text) == (count <= Address.maximumTextByteCount ? .wrongChecksum : .tooLong))
    }

    @Test("another network's address is an error that names the expected prefix")
    func foreignNetwork() throws {
        let error = try #require(throws: AddressError.self) { try Address.parse(Self.schnorr, on: .testnet(11)) }
        #expect(error.code == .foreignNetwork)
        #expect(
            error.description == "The address belongs to another network: it begins with kaspa: "
                + "but testnet-11 expects kaspatest:.")
    }

    @Test("every code has a sentence", arguments: AddressError.Code.allCases)
    func sentences(code: AddressError.Code) {
        let error = AddressError(code)
        #expect(error.description.hasPrefix("The address "))
        #expect(error.description.hasSuffix("."))
    }

    @Test("no single wrong character passes the checksum")
    func singleErrors() throws {
        let good = Array(Self.schnorr.utf8)
        for position in "kaspa:".utf8.count..<good.count {
            for character in "qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8 where character != good[position] {
                var bad = good
                bad[position] = character
                #expect(code(of: String(decoding: bad, as: UTF8.self)) == .wrongChecksum)
            }
        }
    }

    @Test("random payloads of every version and prefix survive text, key and script")
    func randomRoundTrips() throws {
        var random = SeededRandom()
        for _ in 0..<300 {
            let version = try #require(Address.Version.allCases.randomElement(using: &random))
            let network = try #require([Network.mainnet, .testnet(10), .devnet, .simnet].randomElement(using: &random))
            let payload = (0..<version.payloadByteCount).map { _ in UInt8.random(in: 0...255, using: &random) }
            let address = try #require(Address(prefix: network.addressPrefix, version: version, payload: payload))
            #expect(try Address.parse(address.description, on: network) == address, "seed \(random.seed)")
            #expect(Address(storageKey: address.storageKey, network: network) == address, "seed \(random.seed)")
            #expect(Script(paying: address).address(on: network) == address, "seed \(random.seed)")
            #expect(address.payload == payload, "seed \(random.seed)")
            let slow = SlowAddressText.text(
                ofDigits: SlowAddressText.digits(of: [version.rawValue] + payload),
                prefix: network.addressPrefix.rawValue)
            #expect(address.description == slow, "seed \(random.seed)")
        }
    }

    @Test("random text never traps and is never an address")
    func garbage() {
        var random = SeededRandom()
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0...140, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let prefix = Bool.random(using: &random) ? "kaspa:" : ""
            #expect(code(of: prefix + String(decoding: bytes, as: UTF8.self)) != nil, "seed \(random.seed)")
        }
    }

    @Test("data of any length under a checksum that fits is read as what it is, and nothing else is")
    func anyLength() {
        var random = SeededRandom()
        for count in 0...70 {
            for _ in 0..<20 {
                // Versions and lengths of addresses are rare among random ones.
                let version = [0, 1, 8, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random)
                let bytes = (0..<count).map { index in
                    index == 0 ? version ?? 0 : UInt8.random(in: 0...255, using: &random)
                }
                let text = text(bytes)
                let expected = Address(storageKey: bytes, network: .mainnet)
                #expect((try? Address(parsing: text)) == expected, "seed \(random.seed), \(bytes)")
            }
        }
    }

    @Test("an address is 35 bytes, without a reference in it")
    func layout() {
        #expect(MemoryLayout<Address>.size == 35)
        #expect(_isPOD(Address.self))
    }

    @Test("addresses differ by prefix, by version, by key and by the key's parity")
    func equality() throws {
        let key = try #require(Self.key)
        let addresses = [
            try Address(parsing: Self.schnorr),
            try #require(Address(prefix: .kaspatest, version: .schnorr, payload: key)),
            try #require(Address(prefix: .kaspa, version: .scriptHash, payload: key)),
            try #require(Address(prefix: .kaspa, version: .ecdsa, payload: [2] + key)),
            try #require(Address(prefix: .kaspa, version: .ecdsa, payload: [3] + key)),
            try #require(Address(prefix: .kaspa, version: .schnorr, payload: key.reversed())),
        ]
        #expect(Set(addresses + addresses).count == addresses.count)
        #expect(Set(addresses.map(\.description)).count == addresses.count)
    }

    @Test("both kinds of key have the same x coordinate, a script's hash has none")
    func xOnlyPublicKey() throws {
        let key = try #require(Self.key)
        #expect(try Address(parsing: Self.schnorr).xOnlyPublicKey == key)
        #expect(try Address(parsing: Self.ecdsa).xOnlyPublicKey == key)
        #expect(Address(prefix: .kaspa, version: .scriptHash, payload: key)?.xOnlyPublicKey == nil)
    }

    @Test("an empty or foreign storage key is no address")
    func storageKey() throws {
        let key = try #require(Self.key)
        #expect(Address(storageKey: [], network: .mainnet) == nil)
        #expect(Address(storageKey: [2] + key, network: .mainnet) == nil)
        #expect(Address(storageKey: ([9, 0] + key).dropFirst(), network: .mainnet)?.description == Self.schnorr)
    }

    @Test("an address is shortened to 8 and 6 characters")
    func short() throws {
        #expect(try Address(parsing: Self.schnorr).short == "kaspa:qp...f5k28l")
    }

    @Test(
        "text of 16 characters or fewer is left whole",
        arguments: [
            ("", ""), ("abcdefghijklmno", "abcdefghijklmno"), ("abcdefghijklmnop", "abcdefghijklmnop"),
            ("abcdefghijklmnopq", "abcdefgh...lmnopq"),
        ])
    func shorten(text: String, expected: String) {
        #expect(Address.shorten(text) == expected)
    }
}
