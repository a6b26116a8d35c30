import AsyncAlgorithms
import Clocks
import Foundation
import Kaspa
import KaspaNode
import Logging

/// Checks whether a node can be reached, is on our network and synced, and agrees about the time.
struct NodeCheck: Sendable {
    /// The tolerated difference between the newest chain block's time and this machine's, milliseconds.
    static let toleratedSkew: Int64 = 60_000
    /// The time limit of connecting, handshake and subscribing.
    private static let patience = Duration.seconds(60)
    /// The time limit of a node's first answer.
    ///
    /// It is longer than the service's, which can try other nodes.
    private static let greeting = Duration.seconds(30)

    let url: String
    /// The service's configuration.
    ///
    /// Only one of its nodes is asked.
    let nodes: NodeConfiguration

    /// The finding for the node and, if it answers, one for the clock.
    func findings() async -> [Finding] {
        var configuration = nodes
        configuration.urls = [url]
        configuration.connectTimeout = NodeCheck.greeting
        let client = NodeClient(
            configuration: configuration,
            logger: Logger(label: "kasia.node") { _ in SwiftLogNoOpLogHandler() })
        return await withTaskGroup(of: [Finding]?.self) { group in
            group.addTask {
                try? await client.run()
                return nil
            }
            // Answers come after blocks on the stream, so the blocks must be read.
            group.addTask {
                for await _ in client.blocks {}
                return nil
            }
            group.addTask { await ask(client) }
            for await findings in group {
                guard let findings else { continue }
                group.cancelAll()
                return findings
            }
            return []
        }
    }

    private func ask(_ client: NodeClient) async -> [Finding] {
        let untried = NodeStatus().reason
        let deadline = ContinuousClock.now + NodeCheck.patience
        while client.status.connectedURL == nil {
            if let reason = client.status.reason, reason != untried { return [refusal(reason)] }
            guard ContinuousClock.now < deadline else { return [refusal("no answer within \(NodeCheck.patience)")] }
            try? await Task.sleep(for: .milliseconds(20))
        }
        do {
            let info = try await client.dagInfo()
            let version = client.status.serverVersion ?? "of unknown version"
            return [
                Finding(
                    .ok, "node \(url)",
                    "kaspad \(version), \(nodes.network), synced, DAA score \(info.virtualDAAScore)"),
                await clock(client, sink: info.sink),
            ]
        } catch {
            return [refusal("\(error)")]
        }
    }

    private func clock(_ client: NodeClient, sink: BlockHash) async -> Finding {
        do {
            let header = try await client.header(of: sink)
            return NodeCheck.clock(sinkTime: header.timestamp, now: UInt64(Date().timeIntervalSince1970 * 1_000))
        } catch {
            return Finding(
                .warn, "clock", "the node did not tell its newest block: \(error.message)",
                todo: "run doctor again; compare the clock yourself (timedatectl)")
        }
    }

    private func refusal(_ reason: String) -> Finding {
        let todo: String
        if reason.contains("not synced") {
            todo = "wait until kaspad has synced"
        } else if reason.contains("the node is on") {
            todo = "correct network.type or node.urls"
        } else if url.hasPrefix("https:"), reason.localizedCaseInsensitiveContains("certificate") {
            todo = "check that the certificate names this host, and that node.ca_path is its authority"
        } else {
            todo = "check that kaspad runs with --rpclisten on this address, and that no firewall is between"
        }
        return Finding(.fail, "node \(url)", reason, todo: todo)
    }

    /// The finding for this machine's clock, from the newest chain block's time; both in milliseconds since 1970.
    static func clock(sinkTime: UInt64, now: UInt64) -> Finding {
        let ahead = Int64(clamping: sinkTime) - Int64(clamping: now)
        let seconds = ahead.magnitude / 1_000
        if ahead.magnitude <= UInt64(toleratedSkew) {
            return Finding(.ok, "clock", "within \(toleratedSkew / 1_000) s of the node's newest block")
        }
        let level: Finding.Level = ahead.magnitude > ClockSkew.tolerated ? .fail : .warn
        return ahead > 0
            ? Finding(
                level, "clock", "\(seconds) s behind the node's newest block",
                todo: "set the clock (timedatectl set-ntp true): Apple refuses tokens of a wrong time")
            : Finding(
                level, "clock", "\(seconds) s ahead of the node's newest block",
                todo: "if the node really follows the network, set the clock (timedatectl set-ntp true)")
    }
}
