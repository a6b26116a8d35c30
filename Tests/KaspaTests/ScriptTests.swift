import Kaspa
import Testing

@Suite("Scripts")
struct ScriptTests {
    static let forms: [Script] = [
        Script(bytes: [0x20] + [UInt8](repeating: 7, count: 32) + [0xac]),
        Script(bytes: [0x21] + [UInt8](repeating: 7, count: 33) + [0xab]),
        Script(bytes: [0xaa, 0x20] + [UInt8](repeating: 7, count: 32) + [0x87]),
    ]

    /// What is an address's own in a script, as its storage key.
    static func part(of script: Script) -> [UInt8]? {
        script.bytes.withUnsafeBytes { bytes in
            Script.addressPart(of: bytes).map { [$0.version.rawValue] + $0.payload }
        }
    }

    @Test("the three standard forms have addresses of their versions")
    func standard() {
        #expect(Self.forms.map { $0.address(on: .simnet)?.version } == [.schnorr, .ecdsa, .scriptHash])
        #expect(Self.forms.map(Self.part) == Self.forms.map { $0.address(on: .simnet)?.storageKey })
        #expect(Self.forms.map { $0.address(on: .simnet)?.prefix } == [.kaspasim, .kaspasim, .kaspasim])
    }

    @Test("a byte more or less, at either end or in between, is another script", arguments: forms)
    func lengths(script: Script) {
        for change: (inout [UInt8]) -> Void in [
            { $0.removeLast() }, { $0.removeFirst() }, { $0.remove(at: 5) }, { $0.append(0xac) },
            { $0.insert(0, at: 0) },
            { $0.insert(7, at: 5) }, { $0.removeAll() }, { $0 = Array($0.prefix(1)) },
        ] {
            var near = script
            change(&near.bytes)
            #expect(near.address(on: .mainnet) == nil)
            #expect(Self.part(of: near) == nil)
        }
    }

    @Test("a changed opcode is another script; a changed key is another address", arguments: forms)
    func opcodes(script: Script) {
        let opening = script.bytes.firstIndex(of: 7) ?? 0
        for position in script.bytes.indices {
            var near = script
            near.bytes[position] ^= 1
            let isOpcode = position < opening || position == script.bytes.count - 1
            #expect((near.address(on: .mainnet) == nil) == isOpcode)
            #expect(near.address(on: .mainnet) != script.address(on: .mainnet))
        }
    }

    @Test("another script version has no address", arguments: [1, 2, 256, .max] as [UInt16])
    func versions(version: UInt16) {
        for form in Self.forms {
            #expect(Script(version: version, bytes: form.bytes).address(on: .mainnet) == nil)
        }
    }

    @Test("a long script has no address")
    func long() {
        #expect(Script(bytes: [UInt8](repeating: 0x20, count: 100_000)).address(on: .mainnet) == nil)
    }
}
