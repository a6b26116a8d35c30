import Kaspa
import SwiftProtobuf

/// Scans a `GetVirtualChainFromBlockV2ResponseMessage` for headers and needed transactions.
struct VirtualChainScan: WireScan {
    static let field: UInt32 = 1115

    /// How much an answer may hold.
    ///
    /// Two bytes on the wire become sixteen or more in memory.
    struct Limits {
        /// Added chain blocks.
        ///
        /// A node sends some dozens in one answer; this is about three hours of blocks.
        var added = 100_000
        /// Removed chain blocks, all of which are in one answer.
        ///
        /// This is two days of blocks; finality is half a day.
        var removed = 2_000_000
    }

    private(set) var passedOverTransactionCount = 0
    private let limits: Limits
    private var walk: WireWalk
    private var message = Protowire_GetVirtualChainFromBlockV2ResponseMessage()

    init(filter: any ScriptFilter, limits: Limits = Limits()) {
        self.limits = limits
        walk = WireWalk(filter: filter)
    }

    var payload: Protowire_KaspadResponse.OneOf_Payload {
        .getVirtualChainFromBlockV2Response(message)
    }

    mutating func read(_ bytes: UnsafeRawBufferPointer, depth: Int) throws {
        var reader = WireReader(bytes, depth: depth)
        while let tag = try reader.nextTag() {
            switch tag {
            case Self.removedHash:
                guard message.removedChainBlockHashes.count < limits.removed else { throw WireError.tooMany }
                message.removedChainBlockHashes.append(try WireText.string(try reader.bytes()))
            case Self.addedHash:
                guard message.addedChainBlockHashes.count < limits.added else { throw WireError.tooMany }
                message.addedChainBlockHashes.append(try WireText.string(try reader.bytes()))
            case Self.chainBlock:
                guard message.chainBlockAcceptedTransactions.count < limits.added else { throw WireError.tooMany }
                message.chainBlockAcceptedTransactions.append(try chainBlock(try reader.bytes(), depth: depth + 1))
            case Self.error:
                try message.error.merge(
                    serializedBytes: try reader.bytes().bytes, options: Self.options(depth: depth + 1))
            default:
                try reader.passOver(tag)
            }
        }
    }

    private mutating func chainBlock(
        _ bytes: UnsafeRawBufferPointer, depth: Int
    ) throws -> Protowire_RpcChainBlockAcceptedTransactions {
        var block = Protowire_RpcChainBlockAcceptedTransactions()
        var header: WireHeader?
        var reader = WireReader(bytes, depth: depth)
        while let tag = try reader.nextTag() {
            switch tag {
            case Self.header:
                var whole = header ?? WireHeader()
                try whole.read(try reader.bytes(), .ofVirtualChain, depth: depth + 1, &walk)
                header = whole
            case Self.transaction:
                if let transaction = try transaction(try reader.bytes(), depth: depth + 1) {
                    block.acceptedTransactions.append(transaction)
                }
            default:
                try reader.passOver(tag)
            }
        }
        if let header { block.chainBlockHeader = Protowire_RpcOptionalHeader(header) }
        return block
    }

    private mutating func transaction(
        _ bytes: UnsafeRawBufferPointer, depth: Int
    ) throws -> Protowire_RpcOptionalTransaction? {
        guard try walk.isNeeded(bytes, as: .optionalTransaction, .ofVirtualChain, depth: depth) else {
            passedOverTransactionCount += 1
            return nil
        }
        return try Protowire_RpcOptionalTransaction(serializedBytes: bytes.bytes, options: Self.options(depth: depth))
    }

    // Tags of the answer's and the chain block's messages.
    private static let removedHash: UInt32 = 1 << 3 | WireReader.WireType.lengthDelimited
    static let addedHash: UInt32 = 2 << 3 | WireReader.WireType.lengthDelimited
    private static let chainBlock: UInt32 = 3 << 3 | WireReader.WireType.lengthDelimited
    private static let error: UInt32 = 1000 << 3 | WireReader.WireType.lengthDelimited
    private static let header: UInt32 = 2 << 3 | WireReader.WireType.lengthDelimited
    private static let transaction: UInt32 = 3 << 3 | WireReader.WireType.lengthDelimited
}

extension Protowire_RpcOptionalHeader {
    /// A header with those fields that were read.
    fileprivate init(_ header: WireHeader) {
        self.init()
        if let hash = header.hash { self.hash = hash }
        if let timestamp = header.timestamp { self.timestamp = timestamp }
        if let daaScore = header.daaScore { self.daaScore = daaScore }
        if let blueScore = header.blueScore { self.blueScore = blueScore }
    }
}
