import KasiaProtocol
import Kaspa

/// Writes payloads of each kind as the wallets of a generated recording would.
struct OperationWriter: Sendable {
    /// What is written and who is meant.
    struct Draft {
        var kind: OperationKind
        var payload: [UInt8]
        var alias: [UInt8]?
        var isForged = false
    }

    private let wallets: [GeneratedWallet]
    private let parameters: GeneratorParameters

    // Kinds in a fixed order: a dictionary's would differ from run to run.
    private let kinds: [(kind: OperationKind, weight: Int)]
    private let totalWeight: Int

    init(wallets: [GeneratedWallet], parameters: GeneratorParameters) {
        self.wallets = wallets
        self.parameters = parameters
        kinds = OperationKind.allCases.map { ($0, max(0, parameters.weights[$0] ?? 0)) }
        totalWeight = kinds.reduce(0) { $0 + $1.weight }
    }

    /// Something that one wallet writes to another; nil for a transaction that only moves coins.
    func draft(from sender: Int, to receiver: Int, random: inout SeededRandom) -> Draft? {
        guard totalWeight > 0, random.chance(parameters.operationShare) else { return nil }
        var ticket = random.number(below: totalWeight)
        let kind = kinds.first {
            ticket -= $0.weight
            return ticket < 0
        }?.kind
        guard let kind else { return nil }
        var draft = Draft(kind: kind, payload: random.chance(0.5) ? Self.roots.0 : Self.roots.1)
        draft.payload += Array("1:".utf8)
        let length = random.number(in: Self.atLeastZero(parameters.bodyBytes))
        write(&draft, from: sender, to: receiver, bodyBytes: length, random: &random)
        return draft
    }

    private func write(
        _ draft: inout Draft, from sender: Int, to receiver: Int, bodyBytes: Int, random: inout SeededRandom
    ) {
        switch draft.kind {
        case .handshake:
            draft.payload += Array((random.chance(0.8) ? "handshake:" : "hs:").utf8) + random.bytes(bodyBytes)
        case .payment:
            let memo = Array(#"{"message":"For you, number \#(random.number(below: 1000))"}"#.utf8)
            draft.payload += Array((random.chance(0.8) ? "payment:" : "pay:").utf8)
            draft.payload += random.chance(0.5) ? memo : random.bytes(bodyBytes)
        case .contextualMessage:
            draft.isForged = random.chance(parameters.forgeryRate)
            let alias = draft.isForged ? alias(from: receiver, to: sender) : alias(from: sender, to: receiver)
            let older = random.chance(0.1)
            draft.alias = alias
            draft.payload += Array((older ? "msg:" : "comm:").utf8) + alias + Array((older ? "|" : ":").utf8)
            draft.payload += text(bodyBytes, random: &random)
        case .selfStash:
            draft.payload += Array((random.chance(0.5) ? "self_stash:contacts:" : "self_stash:").utf8)
            draft.payload += text(bodyBytes, random: &random)
        case .groupMessage:
            let writer = wallets[sender]
            let fields = [
                writer.blindedGroupID.description, "1", random.hash().description, Hex.encode(writer.publicKey),
                Hex.encode(random.bytes(24)), Hex.encode(random.bytes(max(1, bodyBytes))),
                Hex.encode(random.bytes(64)),
            ]
            draft.payload += Array("gcomm:\(fields.joined(separator: ":"))".utf8)
        case .groupControl:
            let recipient = random.chance(0.7) ? Hex.encode(wallets[receiver].publicKey) + ":" : ""
            draft.payload += Array("gctl:\(recipient)\(Hex.encode(random.bytes(max(1, bodyBytes))))".utf8)
        case .broadcast:
            draft.payload += Array("bcast:kaspa:".utf8) + text(bodyBytes, random: &random)
        }
    }

    /// The alias under which one wallet writes to another: always the same, as in a conversation.
    private func alias(from sender: Int, to receiver: Int) -> [UInt8] {
        let pair = UInt64(sender) << 32 | UInt64(receiver)
        var random = SeededRandom(seed: parameters.seed ^ pair &* 0x9e37_79b9_7f4a_7c15)
        return Array(Hex.encode(random.bytes(6)).utf8)
    }

    /// Text that looks like base64: its characters, in groups of four.
    private func text(_ length: Int, random: inout SeededRandom) -> [UInt8] {
        random.bytes((length + 3) / 4 * 4).map { Self.base64[Int($0 & 63)] }
    }

    private static let roots = (PayloadGrammar.roots[0], PayloadGrammar.roots[1])
    private static let base64 = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func atLeastZero(_ range: ClosedRange<Int>) -> ClosedRange<Int> {
        max(0, range.lowerBound)...max(0, range.upperBound)
    }
}
