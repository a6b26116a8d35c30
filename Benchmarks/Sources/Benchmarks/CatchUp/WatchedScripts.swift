import Kaspa

/// Ten thousand watch-only addresses in a table of bits, as a service would keep them in memory.
struct WatchedScripts: ScriptFilter {
    static let count = 10_000
    /// A hundred bits for each script: one script in a hundred is asked about for nothing.
    private static let bits = 1 << 20

    private let addresses: [Address]
    private let words: [UInt64]

    init() {
        addresses = (0..<Self.count).map { WatchPopulation.address(UInt64($0) | 1 << 60) }
        var words = [UInt64](repeating: 0, count: Self.bits / 64)
        for address in addresses {
            let bit = Script(paying: address).bytes.withUnsafeBytes { Self.bit(of: $0) }
            words[bit / 64] |= 1 << UInt64(bit % 64)
        }
        self.words = words
    }

    func address(_ number: Int) -> Address { addresses[number % Self.count] }

    var isEmpty: Bool { false }

    func mayContain(_ script: UnsafeRawBufferPointer) -> Bool {
        let bit = Self.bit(of: script)
        return words[bit / 64] & 1 << UInt64(bit % 64) != 0
    }

    /// Eight bytes a step, mixed as SplitMix64 does.
    private static func bit(of script: UnsafeRawBufferPointer) -> Int {
        var mixed = UInt64(script.count)
        var offset = 0
        while offset + 8 <= script.count {
            mixed = (mixed ^ script.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0x9e37_79b9_7f4a_7c15
            mixed ^= mixed >> 29
            offset += 8
        }
        for byte in script[offset...] { mixed = (mixed ^ UInt64(byte)) &* 0x9e37_79b9_7f4a_7c15 }
        return Int(mixed >> 44)
    }
}
