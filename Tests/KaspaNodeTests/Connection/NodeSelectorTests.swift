import KaspaNode
import Testing

@Suite("NodeSelector")
struct NodeSelectorTests {
    private let start = ContinuousClock.now
    private let delays = ReconnectDelays(
        initial: .milliseconds(200), maximum: .seconds(10), healthyAfter: .seconds(1))

    private func selector(_ count: Int) -> NodeSelector {
        NodeSelector(urls: (0..<count).map { "http://node\($0)" }, delays: delays)
    }

    /// The expectation macro cannot call what mutates.
    private func follows(_ selector: inout NodeSelector, _ now: ContinuousClock.Instant) -> NodeSelector.Step {
        selector.next(now: now)
    }

    private let lost = NodeError(.transport, "gone")

    @Test("one node is tried again after 0.2 s, doubling to 10 s, and from the start after a healthy connection")
    func delaysGrow() {
        var selector = selector(1)
        var waits: [Duration] = []
        for _ in 0..<8 { waits.append(selector.left(0, lost, followed: nil, now: start)) }
        #expect(
            waits == [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000].map { Duration.milliseconds($0) })
        #expect(follows(&selector, start) == .wait(.seconds(10)))
        #expect(follows(&selector, start + .seconds(10)) == .follow(0))
    }

    @Test("only a connection that lasted resets the pause", arguments: [(999, 400), (1000, 200), (1001, 200)])
    func healthy(milliseconds: Int, pause: Int) {
        var selector = selector(1)
        _ = selector.left(0, lost, followed: nil, now: start)
        #expect(
            selector.left(0, lost, followed: .milliseconds(milliseconds), now: start) == .milliseconds(pause))
    }

    @Test("the first in order that may be tried is, and when all wait, the soonest is waited for")
    func order() {
        var selector = selector(3)
        #expect(follows(&selector, start) == .follow(0))
        _ = selector.left(0, lost, followed: nil, now: start)
        #expect(follows(&selector, start) == .follow(1))
        _ = selector.left(1, lost, followed: nil, now: start + .milliseconds(1))
        var next = selector.next(now: start + .milliseconds(2))
        #expect(next == .follow(2))
        _ = selector.left(2, lost, followed: nil, now: start + .milliseconds(2))
        next = selector.next(now: start + .milliseconds(2))
        #expect(next == .wait(.milliseconds(198)))
        next = selector.next(now: start + .milliseconds(300))
        #expect(next == .follow(0), "preference, once each had its turn")
        #expect(selector.reports.map(\.state) == [.left, .left, .left])
        #expect(selector.reports.map(\.reason) == ["gone", "gone", "gone"])
    }

    @Test("a preferred node comes back after three healthy probes in a row, and not before")
    func hysteresis() {
        var selector = selector(2)
        _ = selector.left(0, lost, followed: nil, now: start)
        selector.followed(1, virtualDAAScore: 100)
        let healthy = NodeSelector.Probe.healthy(virtualDAAScore: 100)
        #expect(selector.probed([0: healthy, 1: healthy], now: start) == nil)
        #expect(selector.probed([0: healthy, 1: healthy], now: start) == nil)
        #expect(selector.reports[0].state == .standby)
        #expect(selector.probed([0: .unfit(lost), 1: healthy], now: start) == nil)
        #expect(selector.reports[0] == NodeReport(url: "http://node0", state: .left, reason: "gone"))
        for _ in 1..<NodeSelector.probesToReturn {
            #expect(selector.probed([0: healthy, 1: healthy], now: start) == nil)
        }
        let verdict = selector.probed([0: healthy, 1: healthy], now: start)
        #expect(verdict?.code == .preferredNode)
        if let verdict { _ = selector.left(1, verdict, followed: .seconds(400), now: start) }
        #expect(follows(&selector, start) == .follow(0))
        #expect(selector.reports[1].state == .standby, "it did nothing wrong")
    }

    @Test("a node that fails soon after it came back must be well for twice as long, up to a limit")
    func flapping() {
        var selector = selector(2)
        let healthy = NodeSelector.Probe.healthy(virtualDAAScore: 100)
        var needed: [Int] = []
        for followed in [nil, 1, 299, 10, 10, 10, 10, 300] as [Int?] {
            selector.followed(0, virtualDAAScore: 100)
            _ = selector.left(0, lost, followed: followed.map { .seconds($0) }, now: start)
            selector.followed(1, virtualDAAScore: 100)
            var count = 1
            while selector.probed([0: healthy, 1: healthy], now: start) == nil, count < 100 { count += 1 }
            needed.append(count)
            _ = selector.left(1, NodeError(.preferredNode, "better"), followed: .seconds(1), now: start)
        }
        #expect(needed == [3, 6, 12, 24, 48, 48, 48, 3])
    }

    @Test(
        "a followed node that is behind is left, by so many DAA scores",
        arguments: [
            (NodeSelector.maximumLag - 1, false), (NodeSelector.maximumLag, false), (NodeSelector.maximumLag + 1, true),
        ])
    func behind(lag: UInt64, isLeft: Bool) {
        var selector = selector(2)
        selector.followed(0, virtualDAAScore: 1000)
        let round: [Int: NodeSelector.Probe] = [
            0: .healthy(virtualDAAScore: 1000), 1: .healthy(virtualDAAScore: 1000 + lag),
        ]
        // One word is not believed.
        for _ in 1..<NodeSelector.probesToReturn { #expect(selector.probed(round, now: start) == nil) }
        #expect((selector.probed(round, now: start)?.code == .behind) == isLeft)
        #expect((selector.lag(of: 0, at: 1000)?.code == .behind) == isLeft)
    }

    @Test("a followed node whose probes fail is not behind by the score that it named before")
    func staleScore() {
        var selector = selector(2)
        selector.followed(0, virtualDAAScore: 1000)
        for number in 1...20 {
            let round: [Int: NodeSelector.Probe] = [
                0: .unfit(lost), 1: .healthy(virtualDAAScore: 1000 + 100 * UInt64(number)),
            ]
            #expect(selector.probed(round, now: start) == nil, "round \(number)")
        }
        #expect(selector.reports.map(\.state) == [.followed, .standby])
        let level: [Int: NodeSelector.Probe] = [
            0: .healthy(virtualDAAScore: 3050), 1: .healthy(virtualDAAScore: 3100),
        ]
        #expect(selector.probed(level, now: start) == nil)
        let behind: [Int: NodeSelector.Probe] = [
            0: .healthy(virtualDAAScore: 3050), 1: .healthy(virtualDAAScore: 3651),
        ]
        #expect(selector.probed(behind, now: start)?.code == .behind)
    }

    @Test("a preferred node that is behind the followed one does not come back")
    func laggingStandby() {
        var selector = selector(2)
        selector.followed(1, virtualDAAScore: 5000)
        for _ in 0..<10 {
            #expect(
                selector.probed(
                    [0: .healthy(virtualDAAScore: 4399), 1: .healthy(virtualDAAScore: 5000)], now: start) == nil)
        }
        #expect(selector.reports[0].state == .left)
        #expect(selector.reports[0].reason == "the node is 601 DAA scores behind another one")
    }

    @Test("a followed node that says that it is not synced any more is left; one that does not answer is not")
    func followedProbe() {
        var selector = selector(2)
        selector.followed(0, virtualDAAScore: 1)
        #expect(selector.probed([0: .unfit(lost)], now: start) == nil)
        #expect(selector.probed([0: .unfit(NodeError(.syncing, "not synced"))], now: start)?.code == .syncing)
        #expect(selector.probed([0: .unfit(NodeError(.wrongNetwork, "other"))], now: start)?.code == .wrongNetwork)
    }

    @Test("when every node was left, nobody's score keeps one from being followed")
    func liveness() {
        var selector = selector(2)
        selector.followed(0, virtualDAAScore: 10)
        let round: [Int: NodeSelector.Probe] = [
            0: .healthy(virtualDAAScore: 10), 1: .healthy(virtualDAAScore: .max),
        ]
        while selector.probed(round, now: start) == nil {}
        _ = selector.left(0, NodeError(.behind, "behind"), followed: .seconds(1), now: start)
        _ = selector.left(1, NodeError(.stalled, "silent"), followed: .seconds(30), now: start)
        #expect(selector.lag(of: 0, at: 10) == nil)
    }
}
