/// How the virtual chain differs from what a reader with a cursor knew.
public struct VirtualChainUpdate: Hashable, Sendable {
    /// The blocks that left the chain, from high to low; what they accepted no longer counts.
    public var removed: [BlockHash]

    /// The blocks that joined the chain, from low to high; they follow the last block that stayed.
    public var added: [AcceptingBlock]

    /// Takes the two halves of an update.
    public init(removed: [BlockHash] = [], added: [AcceptingBlock] = []) {
        self.removed = removed
        self.added = added
    }
}
