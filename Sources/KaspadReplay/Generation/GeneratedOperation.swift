package import KasiaProtocol
package import Kaspa
package import Recordings

/// A Kasia operation that a generated recording contains: what a reader of the recording should find.
///
/// Whether and where it is accepted is in the virtual-chain steps (`GenerationOracle`).
package struct GeneratedOperation: Hashable, Sendable {
    /// The transaction.
    package let id: TransactionID

    /// What the payload is.
    package let kind: OperationKind

    /// The owner of the coins spent.
    package let sender: Address

    /// Who gets the coins of a payment or handshake; nil for the other kinds.
    package let receiver: Address?

    /// What the receiver gets in sompi.
    package let amount: UInt64?

    /// A contextual message's alias.
    package let alias: [UInt8]?

    /// Whether the alias belongs to another wallet, to which coins are sent to make it look like the writer.
    package let isForged: Bool

    /// The recorded transaction that spends the same coins, if this one was made to conflict with it.
    package let rival: TransactionID?

    /// The transaction's payload.
    package let payload: [UInt8]
}

/// An entry of a generated recording with what it means.
package struct GeneratedEntry: Sendable {
    /// The entry.
    package let message: Recording_RecordingEntry

    /// The block that the entry adds; nil for a change of the virtual chain.
    package let block: GraphBlock?

    /// The Kasia operations that the block carries, those that other blocks carry as well included.
    package let operations: [GeneratedOperation]

    /// What the entry changes of the virtual chain; nil for a block.
    package let step: VirtualChainStep?
}
