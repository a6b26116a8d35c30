import Kaspa

/// The time of chain block 0, milliseconds since 1970.
let epoch: UInt64 = 1_704_067_200_000

/// A hash that a number names; the tag keeps blocks, branches and transactions apart.
func hash(_ number: Int, tag: UInt8 = 0) -> Hash {
    var bytes = [UInt8](repeating: tag, count: 32)
    for index in 0..<8 { bytes[24 + index] = UInt8(truncatingIfNeeded: number >> (8 * (7 - index))) }
    return Hash(bytes: bytes) ?? .zero
}

/// A person with a key.
enum Person: UInt8 {
    case alice = 0xA1, bob = 0xB0, carol = 0xC4

    var key: [UInt8] { [UInt8](repeating: rawValue, count: 32) }

    var address: Address {
        guard let address = Address(prefix: .kaspa, version: .schnorr, payload: key) else {
            preconditionFailure("32 bytes make an address")
        }
        return address
    }
}

/// The header of chain block `number`, a second after the one before it.
func header(_ number: Int, branch: UInt8 = 0) -> BlockHeader {
    BlockHeader(
        hash: hash(number, tag: branch), timestamp: epoch + UInt64(number) * 1000, daaScore: 1000 + UInt64(number) * 10,
        blueScore: 500 + UInt64(number) * 8)
}

func chainBlock(_ number: Int, branch: UInt8 = 0, _ transactions: [Transaction] = []) -> AcceptingBlock {
    AcceptingBlock(header: header(number, branch: branch), transactions: transactions)
}

/// Chain blocks without anything of ours.
func emptyChain(_ numbers: Range<Int>) -> [AcceptingBlock] { numbers.map { chainBlock($0) } }

/// A transaction that spends one coin of `sender` and pays.
func transaction(
    _ number: Int, _ payload: String, from sender: Person?, to receivers: [(Person, UInt64)] = [], time: UInt64? = nil,
    isCoinbase: Bool = false
) -> Transaction {
    let spent = sender.map { SpentOutput(amount: Sompi(1000), script: Script(paying: $0.address)) }
    let input = TransactionInput(outpoint: Outpoint(transactionID: hash(number, tag: 0xEE), index: 0), spent: spent)
    return Transaction(
        id: hash(number, tag: 0x77), inputs: isCoinbase ? [] : [input],
        outputs: receivers.map { TransactionOutput(amount: Sompi($0.1), script: Script(paying: $0.0.address)) },
        payload: Array(payload.utf8), blockHash: hash(number, tag: 0xBB), blockTime: time ?? epoch)
}

/// A contextual message; its alias and body do not matter here.
func message(_ number: Int, from sender: Person? = .alice, time: UInt64? = nil) -> Transaction {
    transaction(
        number, "ciph_msg:1:comm:a1:body", from: sender, to: sender.map { [($0, UInt64(900))] } ?? [], time: time)
}

/// A group message that claims to be `claimed`'s, in group `group`.
func groupMessage(_ number: Int, group: UInt8 = 9, claimed: Person, from sender: Person?) -> Transaction {
    let fields = [
        Hex.encode([UInt8](repeating: group, count: 32)), "1", Hex.encode([UInt8](repeating: 2, count: 32)),
        Hex.encode(claimed.key), Hex.encode([UInt8](repeating: 3, count: 24)), "beef",
        Hex.encode([UInt8](repeating: 4, count: 64)),
    ]
    return transaction(number, "ciph_msg:1:gcomm:" + fields.joined(separator: ":"), from: sender)
}
