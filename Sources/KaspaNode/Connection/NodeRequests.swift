package import Kaspa
import SwiftProtobuf

/// Sends requests to a node and returns its answers.
package protocol NodeRequests: Sendable {
    /// Sends a request and waits for the answer with the same id. The answer can hold the node's error.
    func request(
        _ payload: Protowire_KaspadRequest.OneOf_Payload, timeout: Duration?
    ) async throws(NodeError) -> NodeResponse
}

/// The node's calls. Each returns the protobuf answer, and throws the node's error if it holds one.
///
/// All throw `rejected`, `syncing` or `startHashUnknown` for an error of the node, `malformedAnswer` for an answer of
/// another kind, and what `request` throws.
extension NodeRequests {
    /// The node's version and network, and whether it is synced.
    package func serverInfo(timeout: Duration? = nil) async throws(NodeError) -> Protowire_GetServerInfoResponseMessage
    {
        try await ask(.getServerInfoRequest(.init()), timeout: timeout) {
            if case .getServerInfoResponse(let response) = $0 { response } else { nil }
        }
    }

    /// The tips and scores of the block graph.
    package func blockDagInfo() async throws(NodeError) -> Protowire_GetBlockDagInfoResponseMessage {
        try await ask(.getBlockDagInfoRequest(.init())) {
            if case .getBlockDagInfoResponse(let response) = $0 { response } else { nil }
        }
    }

    /// A block by its hash, with its transactions if asked for.
    package func block(_ hash: BlockHash, transactions: Bool = false) async throws(NodeError) -> Protowire_RpcBlock {
        let payload = Protowire_KaspadRequest.OneOf_Payload.getBlockRequest(
            .with {
                $0.hash = hash.description
                $0.includeTransactions = transactions
            })
        let response: Protowire_GetBlockResponseMessage = try await ask(payload) {
            if case .getBlockResponse(let response) = $0 { response } else { nil }
        }
        return response.block
    }

    /// The virtual chain after `start`, at verbosity HIGH: with payloads, outputs and spent outputs.
    package func rawVirtualChain(
        from start: BlockHash
    ) async throws(NodeError) -> Protowire_GetVirtualChainFromBlockV2ResponseMessage {
        try await ask(virtualChainQuestion(from: start)) {
            if case .getVirtualChainFromBlockV2Response(let response) = $0 { response } else { nil }
        }
    }

    /// The request for the virtual chain after `start`.
    func virtualChainQuestion(from start: BlockHash) -> Protowire_KaspadRequest.OneOf_Payload {
        .getVirtualChainFromBlockV2Request(
            .with {
                $0.startHash = start.description
                $0.dataVerbosityLevel = .high
            })
    }

    /// The address of an accepted transaction's first input, as the node writes it.
    package func returnAddress(
        of transaction: TransactionID, acceptingDAAScore: UInt64
    ) async throws(NodeError) -> String {
        let payload = Protowire_KaspadRequest.OneOf_Payload.getUtxoReturnAddressRequest(
            .with {
                $0.txid = transaction.description
                $0.acceptingBlockDaaScore = acceptingDAAScore
            })
        let response: Protowire_GetUtxoReturnAddressResponseMessage = try await ask(payload) {
            if case .getUtxoReturnAddressResponse(let response) = $0 { response } else { nil }
        }
        return response.returnAddress
    }

    /// Asks for a notification of each block added to the graph.
    package func subscribeToBlocks() async throws(NodeError) {
        let _: Protowire_NotifyBlockAddedResponseMessage = try await ask(.notifyBlockAddedRequest(.init())) {
            if case .notifyBlockAddedResponse(let response) = $0 { response } else { nil }
        }
    }

    /// Asks for a notification of each change of the virtual chain, without the ids of accepted transactions: the
    /// virtual chain is then requested.
    package func subscribeToVirtualChain() async throws(NodeError) {
        let _: Protowire_NotifyVirtualChainChangedResponseMessage = try await ask(
            .notifyVirtualChainChangedRequest(.init())
        ) {
            if case .notifyVirtualChainChangedResponse(let response) = $0 { response } else { nil }
        }
    }

    private func ask<Response: Refusable>(
        _ payload: Protowire_KaspadRequest.OneOf_Payload,
        timeout: Duration? = nil,
        _ extract: (Protowire_KaspadResponse.OneOf_Payload) -> Response?
    ) async throws(NodeError) -> Response {
        let response = try await request(payload, timeout: timeout)
        guard let answer = response.payload.flatMap(extract) else { throw .ofAnotherKind }
        if answer.hasError { throw NodeError(refusal: answer.error.message) }
        return answer
    }
}

extension NodeError {
    static let ofAnotherKind = NodeError(
        .malformedAnswer, "the node answered another question than was asked")
}

/// An answer that can hold the node's error.
private protocol Refusable {
    var hasError: Bool { get }
    var error: Protowire_RPCError { get }
}

extension Protowire_GetServerInfoResponseMessage: Refusable {}
extension Protowire_GetBlockDagInfoResponseMessage: Refusable {}
extension Protowire_GetBlockResponseMessage: Refusable {}
extension Protowire_GetVirtualChainFromBlockV2ResponseMessage: Refusable {}
extension Protowire_GetUtxoReturnAddressResponseMessage: Refusable {}
extension Protowire_NotifyBlockAddedResponseMessage: Refusable {}
extension Protowire_NotifyVirtualChainChangedResponseMessage: Refusable {}
