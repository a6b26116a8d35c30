import Kaspa
import KasiaProtocol
import SwiftProtobuf

@testable import KaspaNode

/// What a scan must give: swift-protobuf's decoding of the whole message, with what is not needed taken out afterwards.
///
/// Used by the tests and by the fuzzer.
enum ScanOracle {
    /// What differs between the scanner and the oracle, in words; nil if nothing does.
    static func disagreement(on bytes: [UInt8], _ filter: any ScriptFilter) -> String? {
        let expected = Result { try Protowire_KaspadResponse(serializedBytes: bytes) }
        let scanned = Result { try bytes.withUnsafeBytes { try WireScanner(watching: filter).read($0) } }
        switch (expected, scanned) {
        case (.failure, .failure): return nil
        case (.failure(let error), .success): return "the scanner takes what swift-protobuf refuses: \(error)"
        case (.success, .failure(let error)): return "the scanner refuses what swift-protobuf takes: \(error)"
        case (.success(let message), .success(let response)):
            // Of several contents none is thinned out.
            let needed = contents(of: bytes).count > 1 ? message : thinned(message, filter)
            let dropped = transactionCount(message) - transactionCount(needed)
            if response.id != message.id { return "the id differs" }
            if response.passedOverTransactionCount != dropped {
                return "\(dropped) transactions are not needed, \(response.passedOverTransactionCount) passed over"
            }
            // As bytes: numbers that are none are unequal to themselves.
            return serialized(response.payload) == serialized(needed.payload) ? nil : "the contents differ"
        }
    }

    /// The message with only those transactions and parts of blocks that the indexer needs.
    static func thinned(_ whole: Protowire_KaspadResponse, _ filter: any ScriptFilter) -> Protowire_KaspadResponse {
        var message = Protowire_KaspadResponse()
        message.id = whole.id
        switch whole.payload {
        case .blockAddedNotification(let added):
            message.payload = .blockAddedNotification(
                .with {
                    if added.hasBlock { $0.block = block(added.block) }
                })
        case .getVirtualChainFromBlockV2Response(let answer):
            message.payload = .getVirtualChainFromBlockV2Response(
                .with {
                    $0.removedChainBlockHashes = answer.removedChainBlockHashes
                    $0.addedChainBlockHashes = answer.addedChainBlockHashes
                    $0.chainBlockAcceptedTransactions = answer.chainBlockAcceptedTransactions.map {
                        chainBlock($0, filter)
                    }
                    if answer.hasError { $0.error = answer.error }
                })
        default: message.payload = whole.payload
        }
        return message
    }

    private static func block(_ whole: Protowire_RpcBlock) -> Protowire_RpcBlock {
        .with {
            if whole.hasHeader {
                $0.header = .with {
                    $0.hash = whole.header.hash
                    $0.timestamp = whole.header.timestamp
                    $0.daaScore = whole.header.daaScore
                    $0.blueScore = whole.header.blueScore
                }
            }
            $0.transactions = whole.transactions.filter { isOurs($0.payload) }
        }
    }

    private static func chainBlock(
        _ whole: Protowire_RpcChainBlockAcceptedTransactions, _ filter: any ScriptFilter
    ) -> Protowire_RpcChainBlockAcceptedTransactions {
        .with {
            if whole.hasChainBlockHeader {
                let header = whole.chainBlockHeader
                $0.chainBlockHeader = .with {
                    if header.hasHash { $0.hash = header.hash }
                    if header.hasTimestamp { $0.timestamp = header.timestamp }
                    if header.hasDaaScore { $0.daaScore = header.daaScore }
                    if header.hasBlueScore { $0.blueScore = header.blueScore }
                }
            }
            $0.acceptedTransactions = whole.acceptedTransactions.filter { transaction in
                isOurs(transaction.payload)
                    || transaction.outputs.contains { isWatched($0.scriptPublicKey.scriptPublicKey, filter) }
                    || transaction.inputs.contains {
                        isWatched($0.verboseData.utxoEntry.scriptPublicKey.scriptPublicKey, filter)
                    }
            }
        }
    }

    /// Whether hex begins with a root of ours and goes on.
    static func isOurs(_ payload: String) -> Bool {
        let digits = Array(payload.utf8)
        return PayloadGrammar.roots.contains { root in
            digits.count > root.count * 2 && Hex.decode(digits[..<(root.count * 2)]) == root
        }
    }

    static func isWatched(_ script: String, _ filter: any ScriptFilter) -> Bool {
        guard !filter.isEmpty, let bytes = Hex.decode(script), (1...35).contains(bytes.count) else { return false }
        return bytes.withUnsafeBytes { filter.mayContain($0) }
    }

    static func transactionCount(_ message: Protowire_KaspadResponse) -> Int {
        switch message.payload {
        case .blockAddedNotification(let added): added.block.transactions.count
        case .getVirtualChainFromBlockV2Response(let answer):
            answer.chainBlockAcceptedTransactions.reduce(0) { $0 + $1.acceptedTransactions.count }
        default: 0
        }
    }

    /// The numbers of the response's contents, known ones and others.
    private static func contents(of bytes: [UInt8]) -> Set<UInt64> {
        Set((WireFields.parse(bytes) ?? []).filter { $0.type == 2 && $0.number >= 1000 }.map(\.number))
    }

    private static func serialized(_ payload: Protowire_KaspadResponse.OneOf_Payload?) -> [UInt8]? {
        let message = Protowire_KaspadResponse.with { $0.payload = payload }
        return try? message.serializedBytes()
    }
}

/// The fields of a message as they stand on the wire; written without the scanner's code.
struct WireFields {
    var number: UInt64
    var type: UInt8
    /// A length-delimited value without its length, any other as it is.
    var value: [UInt8]

    /// nil if the bytes are no message, or one with groups deeper than `depth`.
    static func parse(_ bytes: [UInt8], depth: Int = 100) -> [WireFields]? {
        var fields: [WireFields] = []
        var position = 0
        while position < bytes.count {
            guard let field = field(bytes, &position, depth) else { return nil }
            fields.append(field)
        }
        return fields
    }

    private static func field(_ bytes: [UInt8], _ position: inout Int, _ depth: Int) -> WireFields? {
        guard depth > 0, let tag = varint(bytes, &position), tag >> 3 > 0, tag >> 3 < 1 << 29 else { return nil }
        let start = position
        switch tag & 7 {
        case 0: guard varint(bytes, &position) != nil else { return nil }
        case 1: position += 8
        case 5: position += 4
        case 2:
            guard let count = varint(bytes, &position), count <= UInt64(bytes.count - position) else { return nil }
            defer { position += Int(count) }
            return WireFields(
                number: tag >> 3, type: 2, value: Array(bytes[position..<position + Int(count)]))
        case 3:
            while true {
                guard let inner = field(bytes, &position, depth - 1) else { return nil }
                if inner.type != 4 { continue }
                guard inner.number == tag >> 3 else { return nil }
                return WireFields(number: tag >> 3, type: 3, value: Array(bytes[start..<position]))
            }
        case 4: return WireFields(number: tag >> 3, type: 4, value: [])
        default: return nil
        }
        guard position <= bytes.count else { return nil }
        return WireFields(number: tag >> 3, type: UInt8(tag & 7), value: Array(bytes[start..<position]))
    }

    private static func varint(_ bytes: [UInt8], _ position: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7f) &<< shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
