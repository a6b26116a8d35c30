import AsyncAlgorithms
import Kaspa
import KaspaNode
import KaspadReplay
import Recordings
import ReplaySupport
import Synchronization
import Testing

@Suite("Several nodes", .timeLimit(.minutes(10)))
struct SeveralNodesTests {
    private typealias Script = RecordingScript

    private static func recording(_ count: UInt64 = 5) -> Recording {
        var script = Script()
        script.extend(from: 1, count: count)
        return script.recording
    }

    /// Returns once the status is as it should be.
    private func until(
        _ client: NodeClient, _ condition: (NodeStatus) -> Bool
    ) async throws -> NodeStatus {
        while true {
            let status = client.status
            if condition(status) { return status }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Two replay nodes and a client that prefers the first.
    ///
    /// Unless they are probed, nothing brings the client back to the first, nor replaces the reason why it was left.
    private func withTwo(
        areProbed: Bool = false, stallTimeout: Duration = .seconds(3600), first: Recording = recording(),
        second: Recording = recording(),
        prepare: @escaping @Sendable (ReplayNode, ReplayNode) async -> Void = { _, _ in },
        _ body: (NodeClient, ReplayNode, ReplayNode, [String]) async throws -> Void
    ) async throws {
        try await withReplay(first) { one, oneURL in
            try await withReplay(second) { two, twoURL in
                await prepare(one, two)
                try await withClient(
                    [oneURL, twoURL],
                    configure: {
                        $0.probeInterval = areProbed ? .milliseconds(20) : .seconds(3600)
                        $0.stallTimeout = stallTimeout
                    }
                ) { client in
                    try await body(client, one, two, [oneURL, twoURL])
                }
            }
        }
    }

    @Test("a node on another network or not synced is left with a reason, and taken back when it is well")
    func comesBack() async throws {
        for fault in [0, 1] {
            try await withTwo(
                areProbed: true,
                prepare: { one, _ in
                    one.setFaults { if fault == 0 { $0.networkID = "testnet-10" } else { $0.isSynced = false } }
                }
            ) { client, one, _, urls in
                let away = try await until(client) { $0.connectedURL == urls[1] && $0.nodes[0].state == .left }
                let reason = away.nodes[0].reason ?? ""
                #expect(reason.contains(fault == 0 ? "testnet-10" : "not synced"), "\(reason)")
                #expect(away.nodes[1] == NodeReport(url: urls[1], state: .followed, reason: nil))
                one.setFaults {
                    $0.networkID = nil
                    $0.isSynced = true
                }
                let back = try await until(client) { $0.connectedURL == urls[0] }
                #expect(back.nodes[0] == NodeReport(url: urls[0], state: .followed, reason: nil))
            }
        }
    }

    @Test("a followed node that loses its sync is left for the next")
    func losesSync() async throws {
        try await withTwo(areProbed: true) { client, one, _, urls in
            _ = try await until(client) { $0.connectedURL == urls[0] }
            one.setFaults { $0.isSynced = false }
            let status = try await until(client) { $0.connectedURL == urls[1] }
            #expect(status.nodes[0].reason?.contains("not synced") == true)
        }
    }

    @Test("a node that tells of no block is left for the next, which is not silent")
    func silent() async throws {
        var script = Script()
        script.extend(from: 1, count: 400)
        try await withTwo(stallTimeout: .milliseconds(300), second: script.recording) { client, _, two, urls in
            let reader = Task { for await _ in client.blocks {} }
            defer { reader.cancel() }
            let telling = Task {
                var entry = 0
                while !Task.isCancelled {
                    if client.status.connectedURL == urls[1] { entry += 1 }
                    await two.advance(to: entry)
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            defer { telling.cancel() }
            let status = try await until(client) { $0.connectedURL == urls[1] }
            #expect(status.nodes[0].reason == "no block for 0.3 seconds")
        }
    }

    @Test("whoever waits for an answer of a node that is left hears why it was")
    func leftWhileAsked() async throws {
        try await withReplay(Self.recording(1)) { node, url in
            try await withClient([url]) { client in
                // Left when it answers, and the answer does not come.
                node.setFaults { faults in
                    faults.filter = { message in
                        guard case .getVirtualChainFromBlockV2Response = message.payload else { return true }
                        client.leave(url, NodeError(.behind, "far behind"))
                        return false
                    }
                }
                await client.wait(for: .connected)
                let error = await #expect(throws: NodeError.self) {
                    _ = try await client.virtualChain(from: Script.hash(0))
                }
                #expect(error == NodeError(.transport, "the node was left: far behind"))
            }
        }
    }

    @Test("silence that is ours, because nobody reads the blocks, is not the node's")
    func ownSilence() async throws {
        try await withReplay(Self.recording(400)) { node, url in
            let connections = Mutex(0)
            node.setFaults {
                $0.filter = { message in
                    if case .getServerInfoResponse = message.payload { connections.withLock { $0 += 1 } }
                    return true
                }
            }
            try await withClient([url], configure: { $0.stallTimeout = .milliseconds(300) }) { client in
                var entry = 0
                var hasHeld = false
                // On a busy machine the node may be silent for as long before the block comes; then once more.
                for _ in 0..<10 where !hasHeld {
                    // Told of blocks until it holds one that nobody takes.
                    let before = client.status.lastBlockAt
                    while client.status.lastBlockAt == before {
                        entry += 1
                        await node.advance(to: entry)
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    let (connection, held) = (connections.withLock { $0 }, client.status.lastBlockAt)
                    try await Task.sleep(for: .milliseconds(900))
                    let status = client.status
                    hasHeld =
                        status.connectedURL == url && status.lastBlockAt == held
                        && connections.withLock { $0 } == connection
                }
                #expect(hasHeld)
                // Once they are taken, silence is the node's again.
                let connection = connections.withLock { $0 }
                let reader = Task { for await _ in client.blocks {} }
                defer { reader.cancel() }
                _ = try await until(client) { _ in connections.withLock { $0 } > connection }
            }
        }
    }

    @Test("a node that is far behind another one is left for it")
    func behind() async throws {
        var script = Script()
        script.extend(from: 1, count: NodeSelector.maximumLag + 100)
        try await withTwo(
            areProbed: true, first: script.recording, second: script.recording,
            prepare: { _, two in await two.advanceToEnd() }
        ) {
            client, _, _, urls in
            let status = try await until(client) { $0.connectedURL == urls[1] }
            #expect(status.nodes[0].reason?.contains("behind another one") == true, "\(status.nodes)")
        }
    }

    @Test("a node whose answers are garbage is left after three of them, and a good one in between forgives")
    func garbage() async throws {
        try await withTwo { client, one, _, urls in
            _ = try await until(client) { $0.connectedURL == urls[0] }
            one.setFaults {
                $0.filter = { message in
                    if case .getVirtualChainFromBlockV2Response(var answer) = message.payload {
                        answer.addedChainBlockHashes = ["nonsense"]
                        message.payload = .getVirtualChainFromBlockV2Response(answer)
                    }
                    return true
                }
            }
            func ask() async { _ = try? await client.virtualChain(from: Script.hash(0)) }
            await ask()
            await ask()
            _ = try await client.dagInfo()
            await ask()
            await ask()
            #expect(client.status.connectedURL == urls[0])
            await ask()
            let status = try await until(client) { $0.connectedURL == urls[1] }
            #expect(status.nodes[0].reason?.contains("3 questions without a usable answer") == true)
        }
    }

    @Test("what one node failed to answer does not count against the next")
    func failuresOfAnother() async throws {
        try await withTwo { client, one, two, urls in
            _ = try await until(client) { $0.connectedURL == urls[0] }
            for node in [one, two] { node.setFaults { $0.refusals[.dagInfo] = .init("no", times: 1000) } }
            func ask() async { _ = try? await client.dagInfo() }
            for _ in 1..<NodeClient.toleratedFailures { await ask() }
            one.setFaults { $0.networkID = "devnet" }
            one.disconnectAll()
            await client.wait(for: .disconnected)
            await client.wait(for: .connected)
            #expect(client.status.connectedURL == urls[1])
            // The third and the fourth in a row, but the first and the second of this node.
            for _ in 1..<NodeClient.toleratedFailures { await ask() }
            #expect(client.status.connectedURL == urls[1])
            await ask()
            await client.wait(for: .disconnected)
        }
    }

    @Test("a node is left at its user's wish, and only if it is still the one that is followed")
    func leftAtWish() async throws {
        try await withTwo { client, _, _, urls in
            _ = try await until(client) { $0.connectedURL == urls[0] }
            client.leave(urls[1], NodeError(.unusable, "another one"))
            client.leave(urls[0], NodeError(.unusable, "pruned"))
            let status = try await until(client) { $0.connectedURL == urls[1] }
            #expect(status.nodes[0].reason == "pruned")
        }
    }

    @Test("when all are bad each has its reason, and the first that is well again is followed")
    func allBad() async throws {
        try await withTwo(prepare: { one, two in
            one.setFaults { $0.networkID = "devnet" }
            two.setFaults { $0.isSynced = false }
        }) { client, _, two, urls in
            let bad = try await until(client) { $0.nodes.allSatisfy { $0.state == .left } }
            #expect(bad.connectedURL == nil && bad.reason != nil)
            #expect(bad.nodes[0].reason?.contains("devnet") == true)
            #expect(bad.nodes[1].reason?.contains("not synced") == true)
            two.setFaults { $0.isSynced = true }
            _ = try await until(client) { $0.connectedURL == urls[1] }
        }
    }
}
