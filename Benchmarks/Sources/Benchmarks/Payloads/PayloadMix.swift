/// Payloads as a node delivers them, made from a seed.
struct PayloadMix {
    let payloads: [[UInt8]]
    /// How many of them are well-formed operations.
    let operationCount: Int

    var byteCount: Int { payloads.reduce(0) { $0 + $1.count } }

    /// One payload in `interval` is ours, each of the ten written forms in turn; the others belong to strangers.
    init(count: Int, oursEvery interval: Int, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var ours = 0
        payloads = (0..<count).map { index in
            guard index.isMultiple(of: interval) else { return Self.foreign(&random) }
            defer { ours += 1 }
            return Self.own(form: ours, &random)
        }
        operationCount = ours
    }

    /// Three in ten are empty, three in ten as long as a miner's note, three in ten text, one in ten a binary of up to 2 kB.
    private static func foreign(_ random: inout SplitMix64) -> [UInt8] {
        switch UInt64.random(in: 0..<10, using: &random) {
        case 0..<3: []
        case 3..<6: random.bytes(53)
        case 6..<9: Array("{\"p\":\"".utf8) + random.hexadecimal(Int.random(in: 40..<300, using: &random))
        default: random.bytes(Int.random(in: 200..<2000, using: &random))
        }
    }

    /// Bodies have the lengths of sealed texts of some ten to two hundred characters.
    private static func own(form: Int, _ random: inout SplitMix64) -> [UInt8] {
        let root = form.isMultiple(of: 2) ? "ciph_msg:" : "kchat:"
        func payload(_ head: String, _ body: [UInt8]) -> [UInt8] { Array("\(root)1:\(head)".utf8) + body }
        let sealed = random.hexadecimal(2 * Int.random(in: 60..<250, using: &random))
        switch form % 10 {
        case 0: return payload("comm:8f3a1c2b9d4e:", sealed)
        case 1: return payload("handshake:", sealed)
        case 2: return payload("payment:", sealed)
        case 3: return payload("pay:", sealed)
        case 4: return payload("self_stash:saved_handshake:", sealed)
        case 5: return payload("gcomm:", group(sealed, &random))
        case 6: return payload("gctl:", random.hexadecimal(64) + [0x3a] + sealed)
        case 7: return payload("bcast:general:", Array("Good morning, and welcome to the channel.".utf8))
        case 8: return payload("msg:8f3a1c2b9d4e|", sealed)
        default: return payload("hs:", sealed)
        }
    }

    private static func group(_ sealed: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        let fields = [
            random.hexadecimal(64), Array("7".utf8), random.hexadecimal(64), random.hexadecimal(64),
            random.hexadecimal(48), sealed, random.hexadecimal(128),
        ]
        return Array(fields.joined(separator: [0x3a]))
    }
}
