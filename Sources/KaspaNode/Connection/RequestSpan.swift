import Spans
import Tracing

extension Protowire_KaspadRequest.OneOf_Payload {
    /// The name of the request's span: kaspad's service and method.
    var spanName: String {
        switch self {
        case .getCurrentNetworkRequest: "protowire.RPC/GetCurrentNetwork"
        case .notifyBlockAddedRequest: "protowire.RPC/NotifyBlockAdded"
        case .getSinkRequest: "protowire.RPC/GetSink"
        case .notifyVirtualChainChangedRequest: "protowire.RPC/NotifyVirtualChainChanged"
        case .getBlockRequest: "protowire.RPC/GetBlock"
        case .getVirtualChainFromBlockRequest: "protowire.RPC/GetVirtualChainFromBlock"
        case .getBlocksRequest: "protowire.RPC/GetBlocks"
        case .getBlockCountRequest: "protowire.RPC/GetBlockCount"
        case .getBlockDagInfoRequest: "protowire.RPC/GetBlockDagInfo"
        case .getSinkBlueScoreRequest: "protowire.RPC/GetSinkBlueScore"
        case .getInfoRequest: "protowire.RPC/GetInfo"
        case .notifyVirtualDaaScoreChangedRequest: "protowire.RPC/NotifyVirtualDaaScoreChanged"
        case .pingRequest: "protowire.RPC/Ping"
        case .getServerInfoRequest: "protowire.RPC/GetServerInfo"
        case .getSyncStatusRequest: "protowire.RPC/GetSyncStatus"
        case .getFeeEstimateRequest: "protowire.RPC/GetFeeEstimate"
        case .getUtxoReturnAddressRequest: "protowire.RPC/GetUtxoReturnAddress"
        case .getVirtualChainFromBlockV2Request: "protowire.RPC/GetVirtualChainFromBlockV2"
        }
    }
}

extension Span {
    /// Records the method and the node, but none of the request's content.
    func describe(_ request: Protowire_KaspadRequest.OneOf_Payload, to endpoint: NodeEndpoint) {
        describe {
            let name = request.spanName.split(separator: "/")
            $0[.rpcSystem] = "grpc"
            $0[.rpcService] = name.first.map(String.init)
            $0[.rpcMethod] = name.last.map(String.init)
            $0.set(ServerAddress(host: endpoint.host.text, port: endpoint.port))
        }
    }
}

extension NodeError: SpanError {
    package var spanErrorType: String { code.rawValue }
}

extension NodeEndpoint.Host {
    /// The name or address, without brackets.
    fileprivate var text: String {
        switch self {
        case .name(let text), .ipv4(let text), .ipv6(let text): text
        }
    }
}
