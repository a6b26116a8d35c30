/// The part of a block's header that the indexer needs.
public struct BlockHeader: Hashable, Sendable {
    /// The block's identity.
    public var hash: BlockHash

    /// The miner's clock in milliseconds since 1970.
    public var timestamp: UInt64

    /// The number of blocks that the difficulty counts up to this one: Kaspa's clock.
    public var daaScore: UInt64

    /// The number of blue blocks in the block's past.
    public var blueScore: UInt64

    /// Takes a header's fields.
    public init(hash: BlockHash, timestamp: UInt64, daaScore: UInt64, blueScore: UInt64) {
        self.hash = hash
        self.timestamp = timestamp
        self.daaScore = daaScore
        self.blueScore = blueScore
    }
}
