/// The worst current problem in one sentence, for the top of the status page.
struct StatusSummary: Equatable {
    enum Level: String { case good, warning, bad }

    /// Seconds that a push may wait before the page reports it, as in the alert KasiaQueueOld.
    static let oldPush = 600.0
    /// The age of the newest block, in seconds, above which the page reports it, as in KasiaNodeLagging.
    static let oldBlock = 60.0

    var level: Level
    var text: String
    var guide: GuideSection?

    /// `lag` is the age of the newest chain block and `oldestPush` that of the oldest push in the queue, in seconds;
    /// nil while they are not known.
    init(_ facts: StatusFacts, lag: Double?, oldestPush: Double?, isStoreStalled: Bool) {
        let parts = facts.readiness.parts
        let worst = StatusSummary.order.lazy.compactMap { name in parts.first { $0.name == name && !$0.isReady } }.first
        if let broken = worst ?? parts.first(where: { !$0.isReady }) {
            self.init(.bad, StatusSummary.words(broken, facts) + broken.state, GuideSection.of(broken))
        } else if let chain = parts.first(where: { $0.name == "chain" && $0.state != "ok" }) {
            self.init(.warning, chain.state.prefix(1).uppercased() + chain.state.dropFirst(), GuideSection.of(chain))
        } else if let oldestPush, oldestPush > StatusSummary.oldPush {
            self.init(.warning, "Pushes are late: the oldest waits for \(StatusSummary.age(oldestPush))", .queueOld)
        } else if let lag, lag > StatusSummary.oldBlock {
            self.init(.warning, "The newest block is \(StatusSummary.age(lag)) old", .chainBehind)
        } else if isStoreStalled {
            self.init(.warning, "The disk is slow: the store has to slow its writes down", .storeStalled)
        } else if let silent = facts.members.first(where: { $0.state == "silent" }) {
            self.init(.warning, "The process \(silent.name), which shares the store, is silent", .memberSilent)
        } else if let idle = StatusSummary.idleCarrier(parts) {
            self.init(
                .good, "The chain is followed. No pushes are sent: no push service is configured",
                GuideSection.of(idle))
        } else {
            self.init(.good, "All is well", nil)
        }
    }

    /// The age in words.
    ///
    /// A wrong clock can make it any number.
    private static func age(_ seconds: Double) -> String {
        let minutes = UInt64(min(seconds, 1e15) / 60)
        return minutes == 1 ? "1 minute" : "\(minutes) minutes"
    }

    private init(_ level: Level, _ sentence: String, _ guide: GuideSection?) {
        (self.level, self.guide) = (level, guide)
        text = sentence.hasSuffix(".") ? sentence : sentence + "."
    }

    var answer: JSONAnswer {
        .object([
            ("level", .string(level.rawValue)), ("text", .string(text)),
            ("guide", guide.map { .string($0.link) } ?? .null),
        ])
    }

    /// The order in which parts are reported: first those that the others depend on.
    private static let order = ["store", "node", "apns", "fcm", "web_push", "clock"]
    private static let carriers = ["apns", "fcm", "web_push"]

    /// The first carrier, if none is configured; nil when one is.
    private static func idleCarrier(_ parts: [Readiness.Part]) -> Readiness.Part? {
        let known = parts.filter { carriers.contains($0.name) }
        return known.allSatisfy { $0.state == "not configured" } ? known.first : nil
    }

    /// What the failure of a part means for the reader.
    private static func words(_ part: Readiness.Part, _ facts: StatusFacts) -> String {
        switch part.name {
        case "store": "Nothing new is stored: "
        case "node": facts.node.connectedURL == nil ? "No node is connected: " : "The chain is not followed: "
        case "apns", "fcm", "web_push": "Pushes wait: "
        case "clock": "The clock is wrong: "
        default: "The part \(part.name) is not ready: "
        }
    }
}
