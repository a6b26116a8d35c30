/// Why a block cannot be added to a derivation.
///
/// Each is the fault of whoever supplies the blocks.
package struct DerivationError: Error, Hashable, CustomStringConvertible {
    /// What is wrong with the block.
    package enum Code: Hashable, Sendable {
        /// A field that the derivation needs is missing or is not what it should be.
        case malformedBlock
        /// The block was added before.
        case repeatedBlock
        /// A parent was never added, or so long ago that it was forgotten.
        case unknownParent
        /// The virtual chain would have to change below the blocks that are still remembered.
        case forgottenChain
    }

    /// What is wrong.
    package var code: Code

    /// One sentence that names the block or the field.
    package var description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
