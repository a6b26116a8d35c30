import API
import Clocks
import Indexer
import Kaspa
import KaspaNode
import Push
import Store

/// Asks each part for its state, for `/ready` and `/`.
struct ReadinessProbe: Sendable {
    let node: NodeClient
    let store: Store
    let chain: IndexerStatus
    /// The push side; nil if no carrier is configured, which counts as ready.
    let pipeline: PushPipeline?
    let clock: ServiceClock

    func readiness() async -> Readiness {
        let sentence = self.chain.sentence(at: clock.now())
        let chain = chain.snapshot
        let nodeStatus = node.status
        let nodeTrouble =
            nodeStatus.connectedURL == nil
            ? nodeStatus.reason ?? "not connected" : self.chain.nodeSentence(at: clock.now())
        var parts = [
            Readiness.Part(
                name: "node", isReady: nodeTrouble == nil, state: nodeTrouble ?? "ok",
                nodes: nodeStatus.nodes.map {
                    Readiness.Node(url: $0.url, state: $0.state.rawValue, reason: $0.reason)
                }),
            Readiness.Part(name: "chain", isReady: true, state: sentence),
            part("store", trouble: store.trouble?.message ?? chain.storeTrouble),
        ]
        for name in CarrierName.allCases { parts.append(await part(of: name)) }
        let skew = clock.skew()
        parts.append(part("clock", trouble: skew?.isTolerated == false ? skew?.sentence : nil))
        return Readiness(parts: parts)
    }

    func facts() async -> StatusFacts {
        let (node, chain) = (node.status, chain.snapshot)
        var facts = StatusFacts(readiness: await readiness())
        facts.node.connectedURL = node.connectedURL
        facts.node.reason = node.reason
        facts.node.version = node.serverVersion
        facts.node.isSynced = node.isSynced
        facts.node.virtualDAAScore = node.virtualDAAScore
        facts.chain.block = chain.blockHash?.description
        facts.chain.daaScore = chain.daaScore
        facts.chain.blockTime = chain.blockTime
        facts.chain.isCatchingUp = chain.isCatchingUp
        facts.chain.daaScoresPerSecond = chain.progress?.rate
        facts.chain.secondsLeft = chain.progress?.secondsLeft
        facts.chain.waitsForDispatcher = chain.waitsForDispatcher
        return facts
    }

    private func part(of carrier: CarrierName) async -> Readiness.Part {
        guard let pipeline, pipeline.carriers.names.contains(carrier) else {
            return Readiness.Part(name: carrier.label, isReady: true, state: "not configured")
        }
        let trouble = await pipeline.dispatcher.trouble(of: carrier)
        return part(carrier.label, trouble: trouble ?? pipeline.carriers.trouble(of: carrier))
    }

    private func part(_ name: String, trouble: String?) -> Readiness.Part {
        Readiness.Part(name: name, isReady: trouble == nil, state: trouble ?? "ok")
    }
}
