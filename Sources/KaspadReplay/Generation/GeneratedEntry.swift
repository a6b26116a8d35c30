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
