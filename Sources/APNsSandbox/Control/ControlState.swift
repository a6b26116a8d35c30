/// The sandbox's state in the control endpoint's JSON, whose keys are in snake case.
struct ControlState: Encodable {
    struct Rule: Encodable {
        let name: String?
        let token: String?
        let environment: String?
        let carrier: String?
        let chance: Double
        let skip: Int
        let times: Int?
        let hits: Int
        let effect: String
    }

    struct Token: Encodable {
        let token: String
        let goodAt: String?
    }

    let openConnections: Int
    let connections: Int
    let requests: Int
    let notifications: Int
    let maximumStreams: Int
    let rules: [Rule]
    let tokens: [Token]
    /// Left out without a Web Push service.
    let subscriptions: Int?

    init(_ core: SandboxCore) {
        (openConnections, connections) = core.connectionCounts
        requests = core.journal.total(.requests)
        notifications = core.journal.total(.notifications)
        maximumStreams = core.maximumStreams
        rules = core.ruleEntries.map { entry in
            Rule(
                name: entry.rule.name, token: entry.rule.token, environment: entry.rule.environment?.rawValue,
                carrier: entry.rule.carrier?.rawValue, chance: entry.rule.chance, skip: entry.rule.skip,
                times: entry.rule.times, hits: entry.hits, effect: entry.rule.effect.word)
        }
        tokens = core.tokens.entries.map { Token(token: $0.token, goodAt: $0.environment?.rawValue) }
        subscriptions = core.webPush?.subscriptions.count
    }
}

extension SandboxEffect {
    fileprivate var word: String {
        switch self {
        case .accept: "accept"
        case .answer(let answer): "answer \(answer.status)"
        case .silence: "silence"
        case .resetStream: "reset"
        case .halfBody: "half_body"
        case .goAway: "go_away"
        case .closeConnection: "close"
        }
    }
}
