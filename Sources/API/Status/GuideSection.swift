/// The sections of the operator guide that the status page links to, by their anchors in `/guide`.
enum GuideSection: String, CaseIterable {
    case notReady = "when-ready-is-not-200"
    case nodeUntried = "node-no-connection-has-been-tried-yet"
    case nodeUnreachable = "node-url-transport-or-timeout"
    case nodeOfAnotherNetwork = "node-the-node-is-on-x-not-on-y"
    case nodeNotSynced = "node-the-node-is-not-synced-yet"
    case nodeWithoutChain = "node-the-node-does-not-tell-the-chain"
    case store = "store-any-text"
    case pushesNotConfigured = "apns-not-configured"
    case pushesRefused = "apns-apple-refuses-the-credentials-or-the-topic"
    case pushesThrottled = "apns-apple-throttles-the-provider-token"
    case tokenExpired = "apns-apple-calls-the-provider-token-expired"
    case noToken = "apns-no-provider-token-can-be-made"
    case pushes = "apns-any-other-text"
    case fcmRefused = "fcm-google-refuses-the-credentials"
    case fcmNoToken = "fcm-google-gives-no-access-token-for-the-moment"
    case fcm = "fcm-any-other-text"
    case webPush = "web_push-an-origin-refuses-the-vapid-key-or-token"
    case clock = "clock-this-machines-clock-is--ahead-of-or-behind-the-chains-time"
    case chainBehind = "kasianodelagging"
    case chainGap = "kasiachaingap"
    case deepReorganization = "kasiadeepreorganization"
    case queueOld = "kasiaqueueold"
    case queueDeep = "kasiaqueuedeep"
    case givenUp = "kasiadeliveriesgivenup"
    case tokensRefused = "kasiatokensrefused"
    case diskFull = "kasiadiskfull"
    case memberSilent = "kasianobodystandsby"
    case storeStalled = "kasiastorestalled"
    case requestsFailed = "kasiahttperrors"

    /// The link to it from any of the service's pages.
    var link: String { "guide#\(rawValue)" }

    /// The section about a part's state; nil when there is nothing to do.
    static func of(_ part: Readiness.Part) -> GuideSection? {
        guard part.state != "ok" else { return nil }
        switch part.name {
        case "node": return node(part)
        case "chain": return first(in: part.state, of: chain) ?? .notReady
        case "store": return first(in: part.state, of: [("are free on the disk", .diskFull)]) ?? .store
        case "apns": return first(in: part.state, of: apns) ?? .pushes
        case "fcm": return part.isReady ? .pushesNotConfigured : first(in: part.state, of: google) ?? .fcm
        case "web_push": return part.isReady ? .pushesNotConfigured : .webPush
        case "clock": return .clock
        default: return part.isReady ? nil : .notReady
        }
    }

    /// The section about a log message; nil when the guide has none.
    static func of(event message: String) -> GuideSection? { events[message] }

    private static func node(_ part: Readiness.Part) -> GuideSection {
        let isFollowed = part.nodes.contains { $0.state == "followed" }
        return first(in: part.state, of: nodes) ?? (isFollowed ? .nodeWithoutChain : .nodeUnreachable)
    }

    /// The section of the first rule whose words are in the sentence.
    private static func first(in sentence: String, of rules: [(words: String, section: Self)]) -> GuideSection? {
        rules.first { sentence.contains($0.words) }?.section
    }

    private static let nodes: [(String, GuideSection)] = [
        ("no connection has been tried", .nodeUntried), (", not on ", .nodeOfAnotherNetwork),
        ("is not synced", .nodeNotSynced), ("transitional ibd state", .nodeNotSynced),
    ]
    private static let chain: [(String, GuideSection)] = [
        ("may be missing", .chainGap), ("dispatcher", .queueDeep), ("catching up", .chainBehind),
    ]
    private static let apns: [(String, GuideSection)] = [
        ("not configured", .pushesNotConfigured), ("Apple refuses", .pushesRefused),
        ("Apple throttles", .pushesThrottled), ("Apple calls the provider token expired", .tokenExpired),
        ("no provider token", .noToken),
    ]
    private static let google: [(String, GuideSection)] = [
        ("Google refuses", .fcmRefused), ("gives no access token", .fcmNoToken),
    ]
    /// The sections by log message.
    static let events: [String: GuideSection] = [
        "api.activity.store_failed": .requestsFailed, "api.registration.store_failed": .requestsFailed,
        "api.request.failed": .requestsFailed, "indexer.block.store_failed": .store,
        "indexer.chain.beyond_finality": .deepReorganization, "indexer.chain.gap": .chainGap,
        "indexer.chain.node_awaited": .nodeWithoutChain, "indexer.chain.node_failed": .nodeWithoutChain,
        "indexer.chain.store_failed": .store, "indexer.chain.waits_for_dispatcher": .queueDeep,
        "indexer.sender.store_failed": .store, "node left": .nodeUnreachable, "push.delivery.dead": .givenUp,
        "push.invalid_tokens.guarded": .tokensRefused, "push.ring.store_failed": .pushes,
        "push.sending.paused": .notReady, "push.settlement.parked": .pushes, "push.store.failed": .pushes,
        "service.clock.wrong": .clock, "service.member.silent": .memberSilent, "store.history.failed": .store,
        "store.sync.failed": .store,
    ]
}
