public import Kaspa

/// The last chain block whose acceptances are in the store: all that a restart needs to go on.
public struct ChainCursor: Equatable, Sendable {
    /// The hash from which the node is asked for what follows.
    public var blockHash: BlockHash
    /// The block's DAA score.
    public var daaScore: UInt64
    /// The block's blue score, from which confirmations and the depth of reorganisations are counted.
    public var blueScore: UInt64
    /// The block's time in milliseconds since 1970; 0 when it is not known yet (a first start).
    public var timestamp: UInt64

    /// Takes hash, scores and time of one block's header.
    public init(blockHash: BlockHash, daaScore: UInt64, blueScore: UInt64, timestamp: UInt64) {
        self.blockHash = blockHash
        self.daaScore = daaScore
        self.blueScore = blueScore
        self.timestamp = timestamp
    }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 56)
        writer.write(blockHash)
        writer.write(daaScore)
        writer.write(blueScore)
        writer.write(timestamp)
        return writer.bytes
    }

    init(encoded: [UInt8]) throws(StoreError) {
        var reader = ByteReader(encoded)
        blockHash = try reader.readHash()
        daaScore = try reader.readUInt64()
        blueScore = try reader.readUInt64()
        timestamp = try reader.readUInt64()
        try reader.finish()
    }
}
