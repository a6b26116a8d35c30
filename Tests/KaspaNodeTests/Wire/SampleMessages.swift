import Kaspa
import KaspaNode
import KaspadReplay
import SwiftProtobuf

/// Random messages of a node: small, with everything in them that a scan has to tell apart.
struct SampleMessages {
    /// Scripts that occur often; the first two are those that `watched` contains.
    static let scripts: [[UInt8]] = [
        [0x20] + [UInt8](repeating: 0x5c, count: 32) + [0xac],
        [0xaa, 0x20] + [UInt8](repeating: 0x6b, count: 32) + [0x87],
        [0x21] + [UInt8](repeating: 0x02, count: 33) + [0xab], [0x51], [UInt8](repeating: 0x20, count: 36),
    ]
    static let watched = ScriptSet(Set(scripts.prefix(2)))

    var random: SeededRandom

    /// A response with a notification, an answer, or something small.
    mutating func response() -> Protowire_KaspadResponse {
        var message = Protowire_KaspadResponse()
        message.id = random.chance(0.3) ? random.next() : UInt64(random.number(below: 300))
        switch random.number(below: 10) {
        case 0..<4: message.payload = .blockAddedNotification(.with { $0.block = block() })
        case 4..<9: message.payload = .getVirtualChainFromBlockV2Response(virtualChain())
        default: message.payload = .getServerInfoResponse(.with { $0.networkID = "mainnet" })
        }
        return message
    }

    mutating func block() -> Protowire_RpcBlock {
        var block = Protowire_RpcBlock()
        block.header.hash = hash()
        block.header.timestamp = Int64(bitPattern: random.next())
        block.header.daaScore = random.next()
        block.header.blueScore = random.next() >> 40
        block.header.parents = [.with { $0.parentHashes = [hash(), hash()] }]
        block.header.blueWork = "a1"
        block.verboseData = .with {
            $0.hash = block.header.hash
            $0.difficulty = 1.5
            $0.mergeSetBluesHashes = [hash()]
        }
        block.transactions = (0..<random.number(below: 4)).map { _ in transaction() }
        return block
    }

    mutating func virtualChain() -> Protowire_GetVirtualChainFromBlockV2ResponseMessage {
        var answer = Protowire_GetVirtualChainFromBlockV2ResponseMessage()
        if random.chance(0.1) { answer.error.message = "cannot find header é" }
        answer.removedChainBlockHashes = (0..<random.number(below: 3)).map { _ in hash() }
        for _ in 0..<random.number(below: 4) {
            var block = Protowire_RpcChainBlockAcceptedTransactions()
            block.chainBlockHeader.hash = hash()
            block.chainBlockHeader.timestamp = Int64(random.next() >> 20)
            block.chainBlockHeader.daaScore = random.next() >> 30
            if random.chance(0.8) { block.chainBlockHeader.blueScore = random.next() >> 30 }
            block.chainBlockHeader.parentsByLevel = [.with { $0.parentHashes = [hash()] }]
            block.acceptedTransactions = (0..<random.number(below: 4)).map { _ in optionalTransaction() }
            answer.addedChainBlockHashes.append(block.chainBlockHeader.hash)
            answer.chainBlockAcceptedTransactions.append(block)
        }
        return answer
    }

    private mutating func transaction() -> Protowire_RpcTransaction {
        var transaction = Protowire_RpcTransaction()
        transaction.payload = payload()
        transaction.subnetworkID = "00"
        transaction.verboseData.transactionID = hash()
        transaction.verboseData.blockTime = random.next() >> 20
        for _ in 0..<random.number(below: 3) {
            var input = Protowire_RpcTransactionInput()
            input.previousOutpoint.transactionID = hash()
            input.signatureScript = "41" + hash() + hash()
            if random.chance(0.7) { input.verboseData.utxoEntry.scriptPublicKey.scriptPublicKey = script() }
            if random.chance(0.7) { input.verboseData.utxoEntry.verboseData.scriptPublicKeyAddress = "kaspa:q" }
            transaction.inputs.append(input)
        }
        for _ in 0..<random.number(below: 3) {
            var output = Protowire_RpcTransactionOutput()
            output.amount = random.next() >> 20
            output.scriptPublicKey.scriptPublicKey = script()
            output.verboseData.scriptPublicKeyType = "pubkey"
            if random.chance(0.2) { output.covenant.covenantID = hash() }
            transaction.outputs.append(output)
        }
        return transaction
    }

    private mutating func optionalTransaction() -> Protowire_RpcOptionalTransaction {
        var transaction = Protowire_RpcOptionalTransaction()
        transaction.payload = payload()
        transaction.subnetworkID = "00"
        transaction.verboseData.transactionID = hash()
        transaction.verboseData.blockTime = random.next() >> 20
        for _ in 0..<random.number(below: 3) {
            var input = Protowire_RpcOptionalTransactionInput()
            input.previousOutpoint.transactionID = hash()
            input.signatureScript = "41" + hash() + hash()
            if random.chance(0.7) { input.verboseData.utxoEntry.scriptPublicKey.scriptPublicKey = script() }
            if random.chance(0.7) { input.verboseData.utxoEntry.verboseData.scriptPublicKeyAddress = "kaspa:q" }
            transaction.inputs.append(input)
        }
        for _ in 0..<random.number(below: 3) {
            var output = Protowire_RpcOptionalTransactionOutput()
            output.value = random.next() >> 20
            output.scriptPublicKey.scriptPublicKey = script()
            output.verboseData.scriptPublicKeyType = "pubkey"
            if random.chance(0.2) { output.covenant.covenant.covenantID = hash() }
            transaction.outputs.append(output)
        }
        return transaction
    }

    private mutating func hash() -> String { random.hash().description }

    private mutating func payload() -> String {
        let root = Hex.encode(Array((random.chance(0.5) ? "ciph_msg:" : "kchat:").utf8))
        let body = Hex.encode(random.bytes(random.number(below: 20)))
        switch random.number(below: 8) {
        case 0: return root + body
        case 1: return (root + body).uppercased()
        case 2: return root
        case 3: return root + "7"
        case 4: return String(root.dropLast()) + "q" + body
        case 5: return "é"
        case 6: return body
        default: return ""
        }
    }

    private mutating func script() -> String {
        let script = Hex.encode(Self.scripts[random.number(below: Self.scripts.count)])
        switch random.number(below: 12) {
        case 0: return script.uppercased()
        case 1: return String(script.dropLast())
        case 2: return "x" + script.dropFirst()
        case 3: return ""
        default: return script
        }
    }
}

/// A filter without mistakes.
struct ScriptSet: ScriptFilter {
    let scripts: Set<[UInt8]>

    init(_ scripts: Set<[UInt8]>) { self.scripts = scripts }

    var isEmpty: Bool { scripts.isEmpty }

    func mayContain(_ script: UnsafeRawBufferPointer) -> Bool { scripts.contains(Array(script)) }
}

/// A filter that knows nothing for sure.
struct EveryScript: ScriptFilter {
    var isEmpty: Bool { false }

    func mayContain(_ script: UnsafeRawBufferPointer) -> Bool { true }
}
