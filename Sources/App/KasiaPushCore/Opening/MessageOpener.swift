import JSON
import KasiaProtocol
import Kaspa

/// Opens messages with the wallet's key; it prints as `…`.
public struct MessageOpener: Sendable, Redacted {
    let address: Address
    let secret: [UInt8]
    let curve: any Secp256k1Curve

    /// Takes the wallet's address and its secret, 32 bytes.
    ///
    /// nil for a secret of another length, and for an address that is not of version 0.
    public init?(address: String, secret: [UInt8], curve: any Secp256k1Curve) {
        guard secret.count == 32, let address = try? Address(parsing: address), address.version == .schnorr
        else { return nil }
        self.address = address
        self.secret = secret
        self.curve = curve
    }

    /// Opens what a push carries.
    ///
    /// Of a payment the text is its memo, sealed or not. Handshakes, group controls and calls hold an app's JSON.
    public func open(_ payload: PushPayload, groups: [GroupKeys] = []) throws(OpeningError) -> OpenedMessage {
        if case .payment(_, _, _, let memo?) = payload { return OpenedMessage(text: memo) }
        guard let sealed = payload.sealed else { throw .nothingSealed }
        switch payload {
        case .groupMessage(let details, _, _):
            return try open(groupMessage: sealed, sender: details.sender, groups: groups)
        case .payment: return OpenedMessage(text: try memo(of: sealed))
        default: return OpenedMessage(text: try open(sealed))
        }
    }

    /// Opens a message from one person to one.
    public func open(_ sealed: SealedBody) throws(OpeningError) -> String {
        let readings = sealed.readings
        for reading in readings {
            guard let bytes = SealedEnvelope(reading)?.open(secret: secret, curve: curve) else { continue }
            guard let text = String(validUTF8: bytes) else { throw .notText }
            return text
        }
        // Text in base64 or hex is longer than what it stands for, so the likeliest reading decides.
        throw readings.first.flatMap(SealedEnvelope.init) == nil ? .tooShort : .wrongKey
    }

    /// A memo is text, or the member `message` of a JSON object; the object may stand on the chain unsealed.
    private func memo(of sealed: SealedBody) throws(OpeningError) -> String {
        for reading in sealed.readings {
            if let message = PaymentMemo.text(in: reading[...]) { return message }
        }
        let text = try open(sealed)
        return PaymentMemo.text(in: Array(text.utf8)[...]) ?? text
    }
}

extension MessageOpener {
    /// Opens a message to one of these groups.
    ///
    /// The writer's signature is checked before anything is opened. `sender` is the address that sent the transaction,
    /// if it is known: the writer has to be the same.
    public func open(
        groupMessage sealed: SealedBody, sender: String? = nil, groups: [GroupKeys]
    ) throws(OpeningError) -> OpenedMessage {
        guard let envelope = sealed.readings.lazy.compactMap(GroupEnvelope.init).first else {
            throw .malformedGroupMessage
        }
        let fields = envelope.fields
        guard let writer = writer(fields.senderPublicKey, sender: sender), fields.senderID == writer.hash else {
            throw .wrongSender
        }
        guard
            let group = groups.first(where: {
                $0.blindedID(ofMember: fields.senderPublicKey) == fields.blindedGroupID
            })
        else { throw .unknownGroup }
        guard group.members?.contains(writer.address) != false else { throw .wrongSender }
        guard envelope.isSigned(for: group, curve: curve) else { throw .wrongSignature }
        guard let root = group.root(ofEpoch: fields.epoch) else { throw .unknownEpoch }
        guard let bytes = envelope.open(group, root: root) else { throw .wrongKey }
        guard let text = String(validUTF8: bytes) else { throw .notText }
        return OpenedMessage(text: text, group: .init(id: group.id, name: group.name, sender: writer.address))
    }

    /// The address behind a key: the transaction's sender, or else the key's own on the wallet's network.
    private func writer(_ key: [UInt8], sender: String?) -> GroupWriter? {
        guard let sender else {
            return Address(prefix: address.prefix, version: .schnorr, payload: key).map(GroupWriter.init)
        }
        guard let address = try? Address(parsing: sender), address.xOnlyPublicKey == key else { return nil }
        return GroupWriter(address)
    }
}
