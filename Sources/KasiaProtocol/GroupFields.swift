public import Kaspa

/// The fields of a group message that are read.
///
/// Its ciphertext and signature are not: the signature covers the group's unblinded id, which is not on chain. What can
/// be checked is who pays for the message, with `namesSender(_:)`.
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

    /// Takes fields that were read before.
    package init(
        blindedGroupID: [UInt8], epoch: UInt64, senderID: [UInt8], senderPublicKey: [UInt8], messageID: [UInt8]
    ) {
        self.blindedGroupID = blindedGroupID
        self.epoch = epoch
        self.senderID = senderID
        self.senderPublicKey = senderPublicKey
        self.messageID = messageID
    }

    /// Whether the key that the message claims is the key of the given address.
    ///
    /// Keys are compared and nothing more; it proves the writer only if the address is that of the coins the
    /// transaction spends. A script's address has no key and is never named.
    public func namesSender(_ sender: Address) -> Bool {
        sender.xOnlyPublicKey == senderPublicKey
    }
}

extension GroupFields {
    private static let signatureDigits = 128

    /// Reads the seven fields, which fill the range: 64 digits, a decimal number of 64 bits, 64, 64 and 48 digits, a
    /// ciphertext that is not empty and has an even count of digits, and 128 digits; nil for anything else.
    ///
    /// Digits are hexadecimal and of either case, for the table says no more than that; ids and keys are compared as
    /// bytes, so the spelling makes no difference. The long field is read last and nothing is decoded before all fit.
    init?(_ payload: RawSpan, _ range: Range<Int>) {
        var reader = FieldReader(range)
        guard
            let blindedGroupID = reader.hexadecimal(digits: 64, of: payload),
            let epoch = reader.decimal(of: payload),
            let senderID = reader.hexadecimal(digits: 64, of: payload),
            let senderPublicKey = reader.hexadecimal(digits: 64, of: payload),
            let messageID = reader.hexadecimal(digits: 48, of: payload)
        else { return nil }

        // The last field has a fixed length, so the end of the ciphertext is known without looking for it.
        let rest = reader.remaining
        guard rest.count > Self.signatureDigits + 1 else { return nil }
        let signature = rest.upperBound - Self.signatureDigits..<rest.upperBound
        let ciphertext = rest.lowerBound..<signature.lowerBound - 1
        guard
            payload.byte(at: ciphertext.upperBound) == 0x3a,
            ciphertext.count.isMultiple(of: 2),
            payload.isHexadecimal(signature),
            payload.isHexadecimal(ciphertext),
            let blindedGroupID = payload.decodedHexadecimal(blindedGroupID),
            let senderID = payload.decodedHexadecimal(senderID),
            let senderPublicKey = payload.decodedHexadecimal(senderPublicKey),
            let messageID = payload.decodedHexadecimal(messageID)
        else { return nil }
        self.init(
            blindedGroupID: blindedGroupID, epoch: epoch, senderID: senderID, senderPublicKey: senderPublicKey,
            messageID: messageID)
    }
}
