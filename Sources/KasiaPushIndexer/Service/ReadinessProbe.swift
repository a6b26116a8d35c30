import API
import Indexer
import KaspaNode
import Push
import Store

/// Asks each part how it is, for `/ready`.
struct ReadinessProbe: Sendable {
    let node: NodeClient
    let store: Store
    let chain: IndexerStatus
    /// nil: APNs is not configured, which is ready.
    let dispatcher: PushNotificationActor?
    /// Milliseconds since 1970.
    let now: @Sendable () -> UInt64

    func readiness() async -> Readiness {
        let sentence = self.chain.sentence(at: now())
        let chain = chain.snapshot
        let nodeStatus = node.status
        let nodeTrouble = nodeStatus.connectedURL == nil ? nodeStatus.reason ?? "not connected" : chain.nodeTrouble
        var parts = [
            Readiness.Part(
                name: "node", isReady: nodeTrouble == nil, state: nodeTrouble ?? "ok",
                nodes: nodeStatus.nodes.map {
                    Readiness.Node(url: $0.url, state: $0.state.rawValue, reason: $0.reason)
                }),
            Readiness.Part(name: "chain", isReady: true, state: sentence),
            part("store", trouble: store.trouble?.message ?? chain.storeTrouble),
        ]
        if let dispatcher {
            parts.append(part("apns", trouble: await dispatcher.trouble))
        } else {
            parts.append(Readiness.Part(name: "apns", isReady: true, state: "not configured"))
        }
        return Readiness(parts: parts)
    }

    private func part(_ name: String, trouble: String?) -> Readiness.Part {
        Readiness.Part(name: name, isReady: trouble == nil, state: trouble ?? "ok")
    }
}
