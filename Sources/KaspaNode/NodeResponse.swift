public import Kaspa
import SwiftProtobuf

/// One message of the node, in full or without the transactions that are not needed.
public struct NodeResponse: Sendable {
    /// The request's id; 0 for a notification.
    package var id: UInt64

    /// The content; nil for something newer than our proto.
    package var payload: Protowire_KaspadResponse.OneOf_Payload?

    /// The number of transactions in the message that are not in `payload`.
    public var passedOverTransactionCount = 0

    /// The change of the virtual chain, with the number of all transactions; nil for another kind of message.
    ///
    /// Throws `malformedAnswer`, or the node's error.
    public func virtualChainUpdate() throws(NodeError) -> VirtualChainUpdate? {
        guard case .getVirtualChainFromBlockV2Response(let message) = payload else { return nil }
        if message.hasError { throw NodeError(refusal: message.error.message) }
        var update = try VirtualChainUpdate(message)
        update.transactionCount += passedOverTransactionCount
        return update
    }

    init(id: UInt64, payload: Protowire_KaspadResponse.OneOf_Payload?, passedOverTransactionCount: Int = 0) {
        self.id = id
        self.payload = payload
        self.passedOverTransactionCount = passedOverTransactionCount
    }

    /// Decodes a `KaspadResponse` in full.
    ///
    /// Throws when the bytes are no such message: the node's fault.
    package init(serializedBytes bytes: UnsafeRawBufferPointer) throws {
        let message = try Protowire_KaspadResponse(serializedBytes: bytes.bytes)
        self.init(id: message.id, payload: message.payload)
    }
}
