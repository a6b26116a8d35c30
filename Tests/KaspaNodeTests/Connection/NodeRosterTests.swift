import KaspaNode
import Testing

@Suite("NodeRoster")
struct NodeRosterTests {
    private let start = ContinuousClock.now
    private let delays = ReconnectDelays(
        initial: .milliseconds(200), maximum: .seconds(10), healthyAfter: .seconds(1))

    private func roster(_ count: Int) -> NodeRoster {
        NodeRoster(urls: (0..<count).map { "http://node\($0)" }, delays: delays)
    }

    /// The expectation macro cannot call what mutates.
    private func follows(_ roster: inout NodeRoster, _ now: ContinuousClock.Instant) -> NodeRoster.Step {
        roster.next(now: now)
    }

    private let lost = NodeError(.transport, "gone")

    @Test("one node is tried again after 0.2 s, doubling to 10 s, and from the start after a healthy connection")
    func delaysGrow() {
        var roster = roster(1)
        var waits: [Duration] = []
        for _ in 0..<8 { waits.append(roster.left(0, lost, followed: nil, now: start)) }
        #expect(
            waits == [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000].map { Duration.milliseconds($0) })
        #expect(follows(&roster, start) == .wait(.seconds(10)))
        #expect(follows(&roster, start + .seconds(10)) == .follow(0))
    }

    @Test("only a connection that lasted resets the pause", arguments: [(999, 400), (1000, 200), (1001, 200)])
    func healthy(milliseconds: Int, pause: Int) {
        var roster = roster(1)
        _ = roster.left(0, lost, followed: nil, now: start)
        #expect(
            roster.left(0, lost, followed: .milliseconds(milliseconds), now: start) == .milliseconds(pause))
    }

    @Test("the first in order that may be tried is, and when all wait, the soonest is waited for")
    func order() {
        var roster = roster(3)
        #expect(follows(&roster, start) == .follow(0))
        _ = roster.left(0, lost, followed: nil, now: start)
        #expect(follows(&roster, start) == .follow(1))
        _ = roster.left(1, lost, followed: nil, now: start + .milliseconds(1))
        var next = roster.next(now: start + .milliseconds(2))
        #expect(next == .follow(2))
        _ = roster.left(2, lost, followed: nil, now: start + .milliseconds(2))
        next = roster.next(now: start + .milliseconds(2))
        #expect(next == .wait(.milliseconds(198)))
        next = roster.next(now: start + .milliseconds(300))
        #expect(next == .follow(0), "preference, once each had its turn")
        #expect(roster.reports.map(\.state) == [.left, .left, .left])
        #expect(roster.reports.map(\.reason) == ["gone", "gone", "gone"])
    }

    @Test("a preferred node comes back after three healthy probes in a row, and not before")
    func hysteresis() {
        var roster = roster(2)
        _ = roster.left(0, lost, followed: nil, now: start)
        roster.followed(1, virtualDAAScore: 100)
        let healthy = NodeRoster.Probe.healthy(virtualDAAScore: 100)
        #expect(roster.probed([0: healthy, 1: healthy], now: start) == nil)
        #expect(roster.probed([0: healthy, 1: healthy], now: start) == nil)
        #expect(roster.reports[0].state == .standby)
        #expect(roster.probed([0: .unfit(lost), 1: healthy], now: start) == nil)
        #expect(roster.reports[0] == NodeReport(url: "http://node0", state: .left, reason: "gone"))
        for _ in 1..<NodeRoster.probesToReturn {
            #expect(roster.probed([0: healthy, 1: healthy], now: start) == nil)
        }
        let verdict = roster.probed([0: healthy, 1: healthy], now: start)
        #expect(verdict?.code == .preferredNode)
        if let verdict { _ = roster.left(1, verdict, followed: .seconds(400), now: start) }
        #expect(follows(&roster, start) == .follow(0))
        #expect(roster.reports[1].state == .standby, "it did nothing wrong")
    }

    @Test("a node that fails soon after it came back must be well for twice as long, up to a limit")
    func flapping() {
        var roster = roster(2)
        let healthy = NodeRoster.Probe.healthy(virtualDAAScore: 100)
        var needed: [Int] = []
        for followed in [nil, 1, 299, 10, 10, 10, 10, 300] as [Int?] {
            roster.followed(0, virtualDAAScore: 100)
            _ = roster.left(0, lost, followed: followed.map { .seconds($0) }, now: start)
            roster.followed(1, virtualDAAScore: 100)
            var count = 1
            while roster.probed([0: healthy, 1: healthy], now: start) == nil, count < 100 { count += 1 }
            needed.append(count)
            _ = roster.left(1, NodeError(.preferredNode, "better"), followed: .seconds(1), now: start)
        }
        #expect(needed == [3, 6, 12, 24, 48, 48, 48, 3])
    }

    @Test(
        "a followed node that is behind is left, by so many DAA scores",
        arguments: [
            (NodeRoster.maximumLag - 1, false), (NodeRoster.maximumLag, false), (NodeRoster.maximumLag + 1, true),
        ])
    func behind(lag: UInt64, isLeft: Bool) {
        var roster = roster(2)
        roster.followed(0, virtualDAAScore: 1000)
        let round: [Int: NodeRoster.Probe] = [
            0: .healthy(virtualDAAScore: 1000), 1: .healthy(virtualDAAScore: 1000 + lag),
        ]
        // One word is not believed.
        for _ in 1..<NodeRoster.probesToReturn { #expect(roster.probed(round, now: start) == nil) }
        #expect((roster.probed(round, now: start)?.code == .behind) == isLeft)
        #expect((roster.lag(of: 0, at: 1000)?.code == .behind) == isLeft)
    }

    @Test("a followed node whose probes fail is not behind by the score that it named before")
    func staleScore() {
        var roster = roster(2)
        roster.followed(0, virtualDAAScore: 1000)
        for number in 1...20 {
            let round: [Int: NodeRoster.Probe] = [
                0: .unfit(lost), 1: .healthy(virtualDAAScore: 1000 + 100 * UInt64(number)),
            ]
            #expect(roster.probed(round, now: start) == nil, "round \(number)")
        }
        #expect(roster.reports.map(\.state) == [.followed, .standby])
        let level: [Int: NodeRoster.Probe] = [
            0: .healthy(virtualDAAScore: 3050), 1: .healthy(virtualDAAScore: 3100),
        ]
        #expect(roster.probed(level, now: start) == nil)
        let behind: [Int: NodeRoster.Probe] = [
            0: .healthy(virtualDAAScore: 3050), 1: .healthy(virtualDAAScore: 3651),
        ]
        #expect(roster.probed(behind, now: start)?.code == .behind)
    }

    @Test("a preferred node that is behind the followed one does not come back")
    func laggingStandby() {
        var roster = roster(2)
        roster.followed(1, virtualDAAScore: 5000)
        for _ in 0..<10 {
            #expect(
                roster.probed(
                    [0: .healthy(virtualDAAScore: 4399), 1: .healthy(virtualDAAScore: 5000)], now: start) == nil)
        }
        #expect(roster.reports[0].state == .left)
        #expect(roster.reports[0].reason == "the node is 601 DAA scores behind another one")
    }

    @Test("a followed node that says that it is not synced any more is left; one that does not answer is not")
    func followedProbe() {
        var roster = roster(2)
        roster.followed(0, virtualDAAScore: 1)
        #expect(roster.probed([0: .unfit(lost)], now: start) == nil)
        #expect(roster.probed([0: .unfit(NodeError(.syncing, "not synced"))], now: start)?.code == .syncing)
        #expect(roster.probed([0: .unfit(NodeError(.wrongNetwork, "other"))], now: start)?.code == .wrongNetwork)
    }

    @Test("when every node was left, nobody's score keeps one from being followed")
    func liveness() {
        var roster = roster(2)
        roster.followed(0, virtualDAAScore: 10)
        let round: [Int: NodeRoster.Probe] = [
            0: .healthy(virtualDAAScore: 10), 1: .healthy(virtualDAAScore: .max),
        ]
        while roster.probed(round, now: start) == nil {}
        _ = roster.left(0, NodeError(.behind, "behind"), followed: .seconds(1), now: start)
        _ = roster.left(1, NodeError(.stalled, "silent"), followed: .seconds(30), now: start)
        #expect(roster.lag(of: 0, at: 10) == nil)
    }
}
