import Crypto
import Kaspa

/// What the signature of a push says: which device is told what of which transaction.
package struct PushStatement: Sendable {
    /// The transaction's id in hex; of a call the call's id.
    package var transactionID: String
    /// The type's name as the push has it; of a call its kind.
    package var type: String
    /// The sender's address; nil if the push names none.
    package var sender: String?
    /// The number of the push for its device; nil of a call.
    package var seq: UInt64?
    /// The token that the push is sent to, as signed requests have it.
    package var deviceToken: String

    /// Takes the push's members as they stand in it.
    package init(transactionID: String, type: String, sender: String?, seq: UInt64?, deviceToken: String) {
        self.transactionID = transactionID
        self.type = type
        self.sender = sender
        self.seq = seq
        self.deviceToken = deviceToken
    }

    /// The text that is signed.
    package var text: String {
        [
            "domain=kasia-push:v1", "tx_id=\(transactionID)", "type=\(type)", "sender=\(sender ?? "")",
            "seq=\(seq.map { String($0) } ?? "")",
            "device_token_hash=\(Hex.encode(SHA256.hash(data: Array(deviceToken.utf8))))",
        ].joined(separator: "\n")
    }
}
