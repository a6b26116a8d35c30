import Clocks

/// Which node to follow, in order of preference: the pure half of `NodeLink`.
///
/// The nodes' places in the configuration are their preference. A node that was left is tried again after a pause that
/// doubles (`ReconnectDelays`), and the first one in order whose pause is over is followed. While a node is
/// followed, all are probed on connections of their own. A preferred node is taken back after `probesToReturn` healthy
/// probes in a row; a node that was left within `settledAfter` of being followed needs twice as many the next time, up
/// to `mostProbesToReturn`, so that a node that is only well when it is not used is not called again and again.
package struct NodeRoster: Sendable {
    /// A node more than so many DAA scores below another one is behind: about a minute of blocks.
    package static let maximumLag: UInt64 = 600
    /// Healthy probes in a row before a preferred node is taken back, at first and at most.
    package static let probesToReturn = 3
    package static let mostProbesToReturn = 48
    /// How long a node must have been followed for its probes to count as before.
    package static let settledAfter = Duration.seconds(300)

    /// What to do next.
    package enum Step: Equatable, Sendable {
        case follow(Int)
        case wait(Duration)
    }

    /// What a probe found.
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
        /// How often in a row it was left without having been healthy.
        var failures = 0
        var healthyProbes = 0
        var probesNeeded = NodeRoster.probesToReturn
        /// The DAA score that it named last; nil while it is not fit.
        var score: UInt64?
    }

    private let delays: ReconnectDelays
    private var nodes: [Node]
    /// The node that is followed.
    private var current: Int?
    /// Nodes that had their turn since one was followed, that one included.
    private var tried: Set<Int> = []

    /// Starts with nothing known of the nodes, at least one.
    package init(urls: [String], delays: ReconnectDelays) {
        self.delays = delays
        nodes = urls.map { Node(url: $0) }
    }

    /// What is known of each node, in order of preference.
    package var reports: [NodeReport] {
        nodes.map { NodeReport(url: $0.url, state: $0.state, reason: $0.reason) }
    }

    /// The node to follow now, or how long to wait for the next.
    ///
    /// No node gets a second turn before each that may be tried had its first.
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

    /// Why a node that names this DAA score cannot be followed: others are much further; nil when it can.
    package func lag(of index: Int, at score: UInt64) -> NodeError? {
        guard let best = nodes.indices.filter({ $0 != index && isTrusted($0) }).compactMap({ nodes[$0].score }).max(),
            best > score, best - score > NodeRoster.maximumLag
        else { return nil }
        return NodeError(.behind, "the node is \(best - score) DAA scores behind another one")
    }

    /// The node is followed from now on.
    package mutating func followed(_ index: Int, virtualDAAScore: UInt64) {
        nodes[index].score = virtualDAAScore
        nodes[index].state = .followed
        nodes[index].reason = nil
        current = index
        tried = [index]
    }

    /// The node is not followed any more, after having been so for that long; nil when it did not get so far.
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
                let isSettled = duration >= NodeRoster.settledAfter
                nodes[index].probesNeeded =
                    isSettled
                    ? NodeRoster.probesToReturn
                    : min(nodes[index].probesNeeded * 2, NodeRoster.mostProbesToReturn)
            }
        }
        // When none is good enough by the others' word, that word is worth nothing.
        if nodes.allSatisfy({ $0.state == .left }) { for index in nodes.indices { nodes[index].score = nil } }
        return delay
    }

    /// Takes in one round of probes, by place; returns why the followed node must be left, if it must.
    package mutating func probed(_ round: [Int: Probe], now: ContinuousClock.Instant) -> NodeError? {
        for (index, probe) in round { take(probe, of: index) }
        guard let current else { return nil }
        if case .unfit(let error) = round[current], error.code == .wrongNetwork || error.code == .syncing {
            return error
        }
        // A score from an earlier round says nothing beside those of this one.
        if case .healthy? = round[current], let error = lag(of: current) { return error }
        for index in nodes.indices where index != current && nodes[index].state == .standby {
            // A score that is not kept up is not healthy.
            if let error = lag(of: index) {
                nodes[index].state = .left
                nodes[index].reason = error.message
                nodes[index].healthyProbes = 0
            }
        }
        let preferred = nodes[..<current].firstIndex { $0.state == .standby && $0.healthyProbes >= $0.probesNeeded }
        guard let preferred else { return nil }
        nodes[preferred].notBefore = now
        // Straight to it: those before it are not healthy.
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
            // The connection that is followed is judged by itself.
            guard index != current else { return }
            nodes[index].score = nil
            nodes[index].state = .left
            nodes[index].reason = error.message
            nodes[index].healthyProbes = 0
        }
    }

    /// Whether the node's word about the chain's height counts: one probe could be a lie that moves everybody.
    private func isTrusted(_ index: Int) -> Bool {
        index == current || nodes[index].healthyProbes >= nodes[index].probesNeeded
    }

    private func lag(of index: Int) -> NodeError? { nodes[index].score.flatMap { lag(of: index, at: $0) } }
}

/// What is known of one configured node.
package struct NodeReport: Hashable, Sendable {
    package enum State: String, Hashable, Sendable {
        /// Nothing is known yet.
        case untried
        case followed
        /// Fit to be followed, and not needed.
        case standby
        /// Not fit, for the reason given.
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
