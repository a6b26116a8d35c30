import Clocks

/// Selects the node to follow: the pure state behind `NodeLink`.
///
/// The order in the configuration is the order of preference. A node that was left is tried again after a pause that
/// doubles (`ReconnectDelays`). The first node whose pause is over is followed. While one is followed, all are probed
/// on connections of their own. The service returns to a preferred node after `probesToReturn` healthy probes in a row.
/// A node that was left within `settledAfter` needs twice as many the next time, up to `mostProbesToReturn`: otherwise
/// a node that is healthy only while idle would be followed and left over and over.
package struct NodeSelector: Sendable {
    /// The DAA scores that a node may be below another one before it counts as behind: about a minute of blocks.
    package static let maximumLag: UInt64 = 600
    /// Healthy probes in a row before the service returns to a preferred node, at first and at most.
    package static let probesToReturn = 3
    package static let mostProbesToReturn = 48
    /// How long a node must be followed before `probesToReturn` applies to it again.
    package static let settledAfter = Duration.seconds(300)

    /// What to do next.
    package enum Step: Equatable, Sendable {
        case follow(Int)
        case wait(Duration)
    }

    /// The result of a probe.
    package enum Probe: Sendable {
        /// On our network and synced, at this DAA score.
        case healthy(virtualDAAScore: UInt64)
        case unfit(NodeError)
    }

    private struct Node {
        let url: String
        var state = NodeReport.State.untried
        var reason: String?
        /// When it may be tried again.
        var notBefore: ContinuousClock.Instant?
        /// How often in a row it was left before it counted as healthy.
        var failures = 0
        var healthyProbes = 0
        var probesNeeded = NodeSelector.probesToReturn
        /// The DAA score that it last reported; nil while it is unhealthy.
        var score: UInt64?
    }

    private let delays: ReconnectDelays
    private var nodes: [Node]
    /// The node that is followed.
    private var current: Int?
    /// Nodes tried since one was last followed, that one included.
    private var tried: Set<Int> = []

    /// Starts with every node untried.
    ///
    /// There must be at least one.
    package init(urls: [String], delays: ReconnectDelays) {
        self.delays = delays
        nodes = urls.map { Node(url: $0) }
    }

    /// The state of each node, in order of preference.
    package var reports: [NodeReport] {
        nodes.map { NodeReport(url: $0.url, state: $0.state, reason: $0.reason) }
    }

    /// The node to follow now, or how long to wait for the next.
    ///
    /// No node is tried twice before every node whose pause is over was tried once.
    package mutating func next(now: ContinuousClock.Instant) -> Step {
        let ready = nodes.indices.filter { nodes[$0].notBefore.map { $0 <= now } ?? true }
        if let index = ready.first(where: { !tried.contains($0) }) ?? ready.first {
            if tried.contains(index) { tried = [] }
            tried.insert(index)
            return .follow(index)
        }
        let soonest = nodes.compactMap(\.notBefore).min() ?? now
        return .wait(max(soonest - now, .milliseconds(1)))
    }

    /// The error `behind` if another node is much further than this DAA score; nil otherwise.
    package func lag(of index: Int, at score: UInt64) -> NodeError? {
        guard let best = nodes.indices.filter({ $0 != index && isTrusted($0) }).compactMap({ nodes[$0].score }).max(),
            best > score, best - score > NodeSelector.maximumLag
        else { return nil }
        return NodeError(.behind, "the node is \(best - score) DAA scores behind another one")
    }

    /// Records that the node is followed from now on.
    package mutating func followed(_ index: Int, virtualDAAScore: UInt64) {
        nodes[index].score = virtualDAAScore
        nodes[index].state = .followed
        nodes[index].reason = nil
        current = index
        tried = [index]
    }

    /// Records that the node was left.
    ///
    /// `followed` is how long it was followed; nil if it never was.
    ///
    /// Returns the pause before it is tried again.
    package mutating func left(
        _ index: Int, _ error: NodeError, followed duration: Duration?, now: ContinuousClock.Instant
    ) -> Duration {
        current = nil
        if let duration, duration >= delays.healthyAfter { nodes[index].failures = 0 }
        let delay = delays.backoff.pause(after: nodes[index].failures)
        nodes[index].failures += 1
        nodes[index].notBefore = now + delay
        nodes[index].state = error.code == .preferredNode ? .standby : .left
        nodes[index].reason = error.message
        nodes[index].healthyProbes = 0
        if error.code != .preferredNode {
            nodes[index].score = nil
            if let duration {
                let isSettled = duration >= NodeSelector.settledAfter
                nodes[index].probesNeeded =
                    isSettled
                    ? NodeSelector.probesToReturn
                    : min(nodes[index].probesNeeded * 2, NodeSelector.mostProbesToReturn)
            }
        }
        // If every node was left, the scores that ruled them out are not to be trusted.
        if nodes.allSatisfy({ $0.state == .left }) { for index in nodes.indices { nodes[index].score = nil } }
        return delay
    }

    /// Records one round of probes, by position.
    ///
    /// Returns why the followed node must be left, if it must.
    package mutating func probed(_ round: [Int: Probe], now: ContinuousClock.Instant) -> NodeError? {
        for (index, probe) in round { take(probe, of: index) }
        guard let current else { return nil }
        if case .unfit(let error) = round[current], error.code == .wrongNetwork || error.code == .syncing {
            return error
        }
        // A score of an earlier round cannot be compared with those of this one.
        if case .healthy? = round[current], let error = lag(of: current) { return error }
        for index in nodes.indices where index != current && nodes[index].state == .standby {
            // A node that falls behind is not healthy.
            if let error = lag(of: index) {
                nodes[index].state = .left
                nodes[index].reason = error.message
                nodes[index].healthyProbes = 0
            }
        }
        let preferred = nodes[..<current].firstIndex { $0.state == .standby && $0.healthyProbes >= $0.probesNeeded }
        guard let preferred else { return nil }
        nodes[preferred].notBefore = now
        // Try it next: the nodes before it are not healthy.
        tried = Set(nodes.indices).subtracting([preferred])
        return NodeError(.preferredNode, "the preferred node \(nodes[preferred].url) is healthy")
    }

    private mutating func take(_ probe: Probe, of index: Int) {
        switch probe {
        case .healthy(let score):
            nodes[index].score = score
            guard index != current else { return }
            nodes[index].state = .standby
            nodes[index].healthyProbes += 1
            if nodes[index].healthyProbes >= nodes[index].probesNeeded { nodes[index].reason = nil }
        case .unfit(let error):
            // The followed node is judged by its own connection.
            guard index != current else { return }
            nodes[index].score = nil
            nodes[index].state = .left
            nodes[index].reason = error.message
            nodes[index].healthyProbes = 0
        }
    }

    /// Whether the node's DAA score counts against other nodes.
    ///
    /// A single probe does not: one false score would make the service leave a good node.
    private func isTrusted(_ index: Int) -> Bool {
        index == current || nodes[index].healthyProbes >= nodes[index].probesNeeded
    }

    private func lag(of index: Int) -> NodeError? { nodes[index].score.flatMap { lag(of: index, at: $0) } }
}

/// The state of one configured node.
package struct NodeReport: Hashable, Sendable {
    package enum State: String, Hashable, Sendable {
        /// Not tried or probed yet.
        case untried
        case followed
        /// Healthy, and not followed.
        case standby
        /// Unhealthy, for the reason given.
        case left
    }

    package var url: String
    package var state: State
    /// Why it is not followed, in a sentence; nil while there is nothing to say.
    package var reason: String?

    package init(url: String, state: State, reason: String?) {
        self.url = url
        self.state = state
        self.reason = reason
    }
}
