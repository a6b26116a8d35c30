import KasiaProtocol

/// Makes payloads that are nearly right: good ones with a few bytes changed, and garbage behind a good beginning.
struct PayloadMutator {
    private let seeds: [[UInt8]]
    private var random: SeededRandom

    private static let interesting = Array(":|:|::019afAFgz1_ck\u{0}\n".utf8) + [0x80, 0xff]

    init(seeds: [[UInt8]], random: SeededRandom) {
        self.seeds = seeds
        self.random = random
    }

    mutating func next() -> [UInt8] {
        if below(8) == 0 { return garbage() }
        var payload = pick(seeds)
        // One in eight stays whole, so that every kind keeps being seen.
        for _ in 0..<below(8) / 2 { mutate(&payload) }
        return payload
    }

    private mutating func garbage() -> [UInt8] {
        var payload: [UInt8] = []
        if below(4) > 0 { payload += pick(PayloadGrammar.roots) }
        if below(4) > 0 { payload += [0x31, 0x3a] }
        if below(4) > 0 { payload += PayloadInvariants.tags[below(PayloadInvariants.tags.count)].text }
        for _ in 0..<below(24) { payload.append(byte()) }
        return payload
    }

    private mutating func mutate(_ payload: inout [UInt8]) {
        guard !payload.isEmpty else { return payload.append(byte()) }
        let position = below(payload.count)
        switch below(8) {
        case 0: payload[position] = byte()
        case 1: payload[position] ^= 1 << UInt8(below(8))
        case 2: payload.insert(byte(), at: position)
        case 3: payload.remove(at: position)
        case 4: payload.removeSubrange(position..<min(payload.count, position + 1 + below(70)))
        case 5: payload.removeLast(payload.count - position)
        case 6: payload.insert(contentsOf: payload[position..<min(payload.count, position + below(70))], at: position)
        default:
            let other = pick(seeds)
            payload.replaceSubrange(position..., with: other.suffix(from: min(position, other.count)))
        }
    }

    private mutating func byte() -> UInt8 {
        below(4) == 0 ? UInt8(below(256)) : pick(Self.interesting)
    }

    private mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[below(choices.count)]
    }

    /// Plain remainders: the slight bias does not matter here, the speed of a debug build does.
    private mutating func below(_ limit: Int) -> Int {
        Int(truncatingIfNeeded: random.next() >> 33) % limit
    }
}
