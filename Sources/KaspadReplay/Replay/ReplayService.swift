import GRPCCore
import Kaspa
import Recordings
import KaspaNode
import Logging
import SwiftProtobuf
import Synchronization

/// The node's one method: a stream of requests against a stream of answers and notifications.
struct ReplayService: Protowire_RPC.SimpleServiceProtocol {
    let node: ReplayNode

    func messageStream(
        request: RPCAsyncSequence<Protowire_KaspadRequest, any Error>,
        response: RPCWriter<Protowire_KaspadResponse>,
        context: ServerContext
    ) async throws {
        let session = node.open()
        defer { node.close(session) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { session.queue.finish() }
                for try await message in request {
                    // A client that asks and does not read is not listened to.
                    await session.queue.room()
                    if let answer = try node.answer(message, for: session), !session.queue.offer(answer) { return }
                }
            }
            defer { group.cancelAll() }
            while let batch = try await session.queue.next() {
                try await response.write(contentsOf: batch)
            }
        }
    }
}

extension ReplayNode {
    /// Takes in a new stream; a stopping node hangs up at once.
    func open() -> ReplaySession {
        let (session, isStopping) = state.withLock { state in
            state.lastSessionID += 1
            let session = ReplaySession(id: state.lastSessionID, queueCapacity: configuration.queueCapacity)
            state.sessions[session.id] = (session, ReplaySubscriptions())
            return (session, state.isStopping)
        }
        if isStopping { session.queue.abort(RPCError(code: .unavailable, message: "the node is stopping")) }
        return session
    }

    /// Forgets a stream.
    func close(_ session: ReplaySession) {
        state.withLock { _ = $0.sessions.removeValue(forKey: session.id) }
    }

    /// The answer to a request, with the faults that are on; nil when the answer is kept back.
    func answer(_ message: Protowire_KaspadRequest, for session: ReplaySession) throws -> Protowire_KaspadResponse? {
        guard let payload = message.payload else { return try refuse(ForeignRequest(message), id: message.id) }
        let kind = ReplayRequest(payload)
        return state.withLock { state in
            let answer: Protowire_KaspadResponse.OneOf_Payload
            if let text = state.faults.refuse(kind) {
                answer = kind.refusal(text)
            } else {
                do throws(ReplayRefusal) {
                    answer = try self.answer(payload, for: session, &state)
                } catch {
                    answer = kind.refusal(error.message)
                }
            }
            return state.faults.passed(
                .with {
                    $0.id = message.id
                    $0.payload = answer
                })
        }
    }

    /// The error for a request that is not answered; each kind is logged once.
    private func refuse(_ request: ForeignRequest, id: UInt64) throws -> Protowire_KaspadResponse? {
        let answer = try request.refusal(id: id)
        let (isNew, passed) = state.withLock { state in
            (state.refusedRequests.insert(request.name).inserted, state.faults.passed(answer))
        }
        if isNew { logger.notice("request refused: no data for it", metadata: ["request": "\(request.name)"]) }
        return passed
    }

    private func answer(
        _ payload: Protowire_KaspadRequest.OneOf_Payload, for session: ReplaySession, _ state: inout State
    ) throws(ReplayRefusal) -> Protowire_KaspadResponse.OneOf_Payload {
        let networkID = state.faults.networkID ?? recording.header.networkID
        switch payload {
        case .getServerInfoRequest: return .getServerInfoResponse(serverInfo(state, networkID: networkID))
        case .getInfoRequest: return .getInfoResponse(info(state))
        case .getBlockDagInfoRequest: return .getBlockDagInfoResponse(state.chain.dagInfo(networkID: networkID))
        case .getCurrentNetworkRequest:
            // The node tells the kind of network: testnet-10 is a testnet.
            let kind = networkID.prefix { $0 != "-" }
            return .getCurrentNetworkResponse(.with { $0.currentNetwork = String(kind) })
        case .getSinkRequest: return .getSinkResponse(.with { $0.sink = state.chain.sink.hash.description })
        case .getSinkBlueScoreRequest:
            return .getSinkBlueScoreResponse(.with { $0.blueScore = state.chain.sink.blueScore })
        case .getBlockCountRequest: return .getBlockCountResponse(blockCount(state))
        case .getSyncStatusRequest: return .getSyncStatusResponse(.with { $0.isSynced = state.faults.isSynced })
        case .getFeeEstimateRequest: return .getFeeEstimateResponse(state.chain.feeEstimate)
        case .pingRequest: return .pingResponse(.init())
        case .getBlockRequest(let request):
            let block = try state.chain.block(request)
            return .getBlockResponse(.with { $0.block = block })
        case .getBlocksRequest(let request): return .getBlocksResponse(try state.chain.blocks(request))
        case .getVirtualChainFromBlockV2Request(let request):
            return .getVirtualChainFromBlockV2Response(
                try state.chain.virtualChain(request, batch: configuration.batch))
        case .getVirtualChainFromBlockRequest(let request):
            return .getVirtualChainFromBlockResponse(try state.chain.chainHashes(request, batch: configuration.batch))
        case .getUtxoReturnAddressRequest(let request):
            let address = try state.chain.returnAddress(request, on: network)
            return .getUtxoReturnAddressResponse(.with { $0.returnAddress = address })
        case .notifyBlockAddedRequest, .notifyVirtualChainChangedRequest, .notifyVirtualDaaScoreChangedRequest:
            return subscribe(payload, of: session, &state)
        }
    }

    private func serverInfo(_ state: State, networkID: String) -> Protowire_GetServerInfoResponseMessage {
        .with {
            $0.rpcApiVersion = 1
            $0.serverVersion = configuration.serverVersion
            $0.networkID = networkID
            $0.hasUtxoIndex_p = true
            $0.isSynced = state.faults.isSynced
            $0.virtualDaaScore = state.chain.virtualDAAScore
        }
    }

    private func info(_ state: State) -> Protowire_GetInfoResponseMessage {
        .with {
            $0.serverVersion = configuration.serverVersion
            $0.isUtxoIndexed = true
            $0.isSynced = state.faults.isSynced
            $0.hasNotifyCommand_p = true
            $0.hasMessageID_p = true
        }
    }

    private func blockCount(_ state: State) -> Protowire_GetBlockCountResponseMessage {
        .with {
            $0.blockCount = UInt64(state.chain.blocks.count)
            $0.headerCount = UInt64(state.chain.blocks.count)
        }
    }

    /// Begins or ends what a request for notifications asks for.
    private func subscribe(
        _ payload: Protowire_KaspadRequest.OneOf_Payload, of session: ReplaySession, _ state: inout State
    ) -> Protowire_KaspadResponse.OneOf_Payload {
        switch payload {
        case .notifyBlockAddedRequest(let request):
            state.sessions[session.id]?.subscriptions.blockAdded = request.command.isStart
            return .notifyBlockAddedResponse(.init())
        case .notifyVirtualChainChangedRequest(let request):
            state.sessions[session.id]?.subscriptions.virtualChainChanged = request.command.isStart
            state.sessions[session.id]?.subscriptions.acceptedTransactionIDs = request.includeAcceptedTransactionIds
            return .notifyVirtualChainChangedResponse(.init())
        case .notifyVirtualDaaScoreChangedRequest(let request):
            state.sessions[session.id]?.subscriptions.virtualDAAScoreChanged = request.command.isStart
            return .notifyVirtualDaaScoreChangedResponse(.init())
        default: preconditionFailure("a request for notifications")
        }
    }
}

extension Protowire_RpcNotifyCommand {
    /// Whether to begin telling; everything else ends it.
    fileprivate var isStart: Bool { self == .notifyStart }
}
