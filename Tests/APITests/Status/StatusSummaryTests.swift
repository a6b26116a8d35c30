import Testing

@testable import API

@Suite("The state in words")
struct StatusSummaryTests {
    private static let fine = ["node": "ok", "chain": "ok", "store": "ok", "apns": "ok", "clock": "ok"]

    /// Parts that are `ok` but for those named; those are not ready, unless it is said.
    private func summary(
        _ troubles: [String: String], areReady: Bool = false, connected: String? = nil, lag: Double? = nil,
        oldest: Double? = nil, isStalled: Bool = false
    ) -> StatusSummary {
        let states = Self.fine.merging(troubles) { $1 }
        var facts = StatusFacts(
            readiness: Readiness(
                parts: ["node", "chain", "store", "apns", "clock"].map { name in
                    let state = states[name] ?? "ok"
                    return Readiness.Part(name: name, isReady: state == "ok" || areReady, state: state)
                }))
        facts.node.connectedURL = connected
        return StatusSummary(facts, lag: lag, oldestPush: oldest, isStoreStalled: isStalled)
    }

    @Test("without any trouble all is well")
    func good() {
        let summary = summary([:])
        #expect(summary.text == "All is well." && summary.level == .good && summary.guide == nil)
    }

    @Test("each part that is not ready has its sentence")
    func parts() {
        #expect(summary(["node": "http://a:1: refused"]).text == "No node is connected: http://a:1: refused.")
        #expect(
            summary(["node": "cannot find header"], connected: "http://a:1").text
                == "The chain is not followed: cannot find header.")
        #expect(summary(["store": "IO error."]).text == "Nothing new is stored: IO error.")
        let throttled = summary(["apns": "Apple throttles the provider token; next try in 9 s"])
        #expect(throttled.text == "Pushes wait: Apple throttles the provider token; next try in 9 s.")
        #expect(throttled.level == .bad && throttled.guide == .pushesThrottled)
        #expect(summary(["clock": "2 days ahead"]).text == "The clock is wrong: 2 days ahead.")
    }

    @Test("of several troubles the one is told that keeps the others from ending")
    func worst() {
        let all = ["node": "a", "store": "b", "apns": "c", "clock": "d"]
        #expect(summary(all).guide == .store)
        #expect(summary(all.filter { $0.key != "store" }).guide == .nodeUnreachable)
        #expect(summary(all.filter { !["store", "node"].contains($0.key) }).guide == .pushes)
        #expect(summary(["clock": "d", "chain": "catching up: 1 DAA scores behind"]).guide == .clock)
    }

    @Test("a chain that is caught up with is a warning, and so are old pushes and a slow disk")
    func warnings() {
        let behind = summary(["chain": "catching up: 900 DAA scores behind"], areReady: true)
        #expect(behind.text == "Catching up: 900 DAA scores behind." && behind.level == .warning)
        #expect(behind.guide == .chainBehind)
        let old = summary([:], oldest: 900)
        #expect(old.text == "Pushes are late: the oldest waits for 15 minutes." && old.level == .warning)
        #expect(old.guide == .queueOld)
        #expect(summary([:], isStalled: true).guide == .storeStalled)
    }

    @Test("a push is old after ten minutes", arguments: [(599, false), (600, false), (601, true)])
    func oldPush(seconds: Int, isOld: Bool) {
        #expect((summary([:], oldest: Double(seconds)).level == .warning) == isOld)
    }

    @Test(
        "a block is old after a minute",
        arguments: [(59, "All is well."), (60, "All is well."), (61, "The newest block is 1 minute old.")])
    func oldBlock(seconds: Int, text: String) {
        #expect(summary([:], lag: Double(seconds)).text == text)
        #expect(summary([:], lag: 1e300).guide == .chainBehind)
    }

    @Test("without Apple all is well too, and it says that nothing is sent")
    func withoutApple() {
        let summary = summary(["apns": "not configured"], areReady: true)
        #expect(summary.text == "The chain is followed. No pushes are sent: no push service is configured.")
        #expect(summary.level == .good && summary.guide == .pushesNotConfigured)
    }
}
