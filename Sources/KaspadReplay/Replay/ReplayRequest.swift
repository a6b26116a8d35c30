package import KaspaNode
import SwiftProtobuf

/// The kinds of request that the replay node answers.
package enum ReplayRequest: String, Hashable, Sendable, CaseIterable {
    case serverInfo, info, dagInfo, ping, block, blocks, virtualChain, returnAddress
    case network, sink, sinkBlueScore, blockCount, syncStatus, chainHashes, feeEstimate
    case notifyBlockAdded, notifyVirtualChainChanged, notifyVirtualDAAScoreChanged

    /// The kind of a request on the wire.
    package init(_ payload: Protowire_KaspadRequest.OneOf_Payload) {
        self =
            switch payload {
            case .getServerInfoRequest: .serverInfo
            case .getInfoRequest: .info
            case .getBlockDagInfoRequest: .dagInfo
            case .pingRequest: .ping
            case .getBlockRequest: .block
            case .getBlocksRequest: .blocks
            case .getVirtualChainFromBlockV2Request: .virtualChain
            case .getUtxoReturnAddressRequest: .returnAddress
            case .getCurrentNetworkRequest: .network
            case .getSinkRequest: .sink
            case .getSinkBlueScoreRequest: .sinkBlueScore
            case .getBlockCountRequest: .blockCount
            case .getSyncStatusRequest: .syncStatus
            case .getVirtualChainFromBlockRequest: .chainHashes
            case .getFeeEstimateRequest: .feeEstimate
            case .notifyBlockAddedRequest: .notifyBlockAdded
            case .notifyVirtualChainChangedRequest: .notifyVirtualChainChanged
            case .notifyVirtualDaaScoreChangedRequest: .notifyVirtualDAAScoreChanged
            }
    }

    /// The answer that is nothing but the node's error.
    func refusal(_ message: String) -> Protowire_KaspadResponse.OneOf_Payload {
        let error = Protowire_RPCError.with { $0.message = message }
        return switch self {
        case .serverInfo: .getServerInfoResponse(.with { $0.error = error })
        case .info: .getInfoResponse(.with { $0.error = error })
        case .dagInfo: .getBlockDagInfoResponse(.with { $0.error = error })
        case .ping: .pingResponse(.with { $0.error = error })
        case .block: .getBlockResponse(.with { $0.error = error })
        case .blocks: .getBlocksResponse(.with { $0.error = error })
        case .virtualChain: .getVirtualChainFromBlockV2Response(.with { $0.error = error })
        case .returnAddress: .getUtxoReturnAddressResponse(.with { $0.error = error })
        case .network: .getCurrentNetworkResponse(.with { $0.error = error })
        case .sink: .getSinkResponse(.with { $0.error = error })
        case .sinkBlueScore: .getSinkBlueScoreResponse(.with { $0.error = error })
        case .blockCount: .getBlockCountResponse(.with { $0.error = error })
        case .syncStatus: .getSyncStatusResponse(.with { $0.error = error })
        case .chainHashes: .getVirtualChainFromBlockResponse(.with { $0.error = error })
        case .feeEstimate: .getFeeEstimateResponse(.with { $0.error = error })
        case .notifyBlockAdded: .notifyBlockAddedResponse(.with { $0.error = error })
        case .notifyVirtualChainChanged: .notifyVirtualChainChangedResponse(.with { $0.error = error })
        case .notifyVirtualDAAScoreChanged: .notifyVirtualDaaScoreChangedResponse(.with { $0.error = error })
        }
    }
}
