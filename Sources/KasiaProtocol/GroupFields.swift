public import Kaspa

/// The fields of a group message.
///
/// The signature is not checked here or anywhere in the indexer: it covers the group's unblinded id, which is not on
/// chain. What can be checked is who pays for the message, with `namesSender(_:)`.
public struct GroupFields: Equatable, Sendable {
    /// The group's id as this writer blinds it, 32 bytes.
    public let blindedGroupID: [UInt8]

    /// The number of the group's key.
    public let epoch: UInt64

    /// The writer's id within the group, 32 bytes.
    public let senderID: [UInt8]

    /// The x-only key that the message claims as its writer's, 32 bytes.
    public let senderPublicKey: [UInt8]

    /// The message's id, 24 bytes.
    public let messageID: [UInt8]

    /// Where the sealed text stands in the payload: hexadecimal digits, at least two and an even count.
    public let ciphertext: Range<Int>

    /// Where the signature stands in the payload: 128 hexadecimal digits.
    public let signature: Range<Int>

    /// Whether the key that the message claims is the key of the given address.
    ///
    /// Keys are compared and nothing more; it proves the writer only if the address is that of the coins the
    /// transaction spends. A script's address has no key and is never named.
    public func namesSender(_ sender: Address) -> Bool {
        sender.xOnlyPublicKey == senderPublicKey
    }
}
