import SwiftProtobuf

/// Scans a `BlockAddedNotificationMessage` for the header and needed transactions.
struct BlockScan: WireScan {
    static let field: UInt32 = 1009

    private(set) var passedOverTransactionCount = 0
    private var walk = WireWalk(filter: NothingWatched())
    private var hasBlock = false
    private var header: WireHeader?
    private var transactions: [Protowire_RpcTransaction] = []

    mutating func read(_ bytes: UnsafeRawBufferPointer, depth: Int) throws {
        var reader = WireReader(bytes, depth: depth)
        while let tag = try reader.nextTag() {
            guard tag == Self.block else {
                try reader.passOver(tag)
                continue
            }
            hasBlock = true
            try readBlock(try reader.bytes(), depth: depth + 1)
        }
    }

    var payload: Protowire_KaspadResponse.OneOf_Payload {
        var message = Protowire_BlockAddedNotificationMessage()
        if hasBlock { message.block = .with { $0.transactions = transactions } }
        if let header {
            message.block.header = .with {
                $0.hash = header.hash ?? ""
                $0.timestamp = header.timestamp ?? 0
                $0.daaScore = header.daaScore ?? 0
                $0.blueScore = header.blueScore ?? 0
            }
        }
        return .blockAddedNotification(message)
    }

    private mutating func readBlock(_ bytes: UnsafeRawBufferPointer, depth: Int) throws {
        var reader = WireReader(bytes, depth: depth)
        while let tag = try reader.nextTag() {
            switch tag {
            case Self.header: try readHeader(try reader.bytes(), depth: depth + 1)
            case Self.transaction: try readTransaction(try reader.bytes(), depth: depth + 1)
            case Self.verboseData: try walk.check(try reader.bytes(), as: .blockVerboseData, depth: depth + 1)
            default: try reader.passOver(tag)
            }
        }
    }

    private mutating func readHeader(_ bytes: UnsafeRawBufferPointer, depth: Int) throws {
        var whole = header ?? WireHeader()
        try whole.read(bytes, .ofBlock, depth: depth, &walk)
        header = whole
    }

    private mutating func readTransaction(_ bytes: UnsafeRawBufferPointer, depth: Int) throws {
        guard try walk.isNeeded(bytes, as: .transaction, .ofBlock, depth: depth) else {
            passedOverTransactionCount += 1
            return
        }
        transactions.append(
            try Protowire_RpcTransaction(serializedBytes: bytes.bytes, options: Self.options(depth: depth)))
    }

    // Tags of the notification's and the block's messages.
    private static let block: UInt32 = 3 << 3 | WireReader.WireType.lengthDelimited
    private static let header: UInt32 = 1 << 3 | WireReader.WireType.lengthDelimited
    private static let transaction: UInt32 = 2 << 3 | WireReader.WireType.lengthDelimited
    private static let verboseData: UInt32 = 3 << 3 | WireReader.WireType.lengthDelimited
}
