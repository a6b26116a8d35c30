import AsyncAlgorithms
import Glibc
import Kaspa
import KaspaNode
import KaspadReplay
import Recordings
import ReplaySupport
import SwiftProtobuf
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct NodeClientTests {
    private typealias Script = RecordingScript

    private static func recording(_ count: UInt64 = 5) -> Recording {
        var script = Script()
        script.extend(from: 1, count: count)
        return script.recording
    }

    private static func code(_ body: () async throws -> some Any) async -> NodeError.Code? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? NodeError)?.code
        }
    }

    /// Everything that the virtual chain adds from `start` on, with what it accepts.
    private static func catchUp(_ client: NodeClient, from start: Hash) async throws -> [AcceptingBlock] {
        var blocks: [AcceptingBlock] = []
        while true {
            let update = try await client.virtualChain(from: blocks.last?.header.hash ?? start)
            if update.added.isEmpty { return blocks }
            blocks += update.added
        }
    }

    @Test("Blocks come in order with their transactions, and the virtual chain tells what it accepted")
    func follows() async throws {
        var script = Script()
        let owner = Kaspa.Script(bytes: [0x20] + [UInt8](repeating: 7, count: 32) + [0xac])
        let payload = Array("kchat:1:pay:x".utf8)
        let transaction = Script.transaction(100, payload: payload, spending: 99, from: owner, to: [(owner, 5)])
        script.tell(1, on: 0, transactions: [transaction])
        script.change(adding: [1])
        try await withReplay(script.recording) { node, url in
            try await withClient([url]) { client in
                await client.wait(for: .connected)
                async let told: Void = node.advanceToEnd()
                let block = try #require(await client.blocks.first { _ in true })
                await told
                #expect(block.header.hash == Script.hash(1))
                #expect(block.transactions.map(\.payload) == [payload])
                await client.wait(for: .virtualChainChanged)

                let update = try await client.virtualChain(from: Script.hash(0))
                #expect(update.added.map(\.header) == [block.header])
                #expect(update.added.first?.transactions == block.transactions)
                let info = try await client.dagInfo()
                #expect(info.networkName == "kaspa-mainnet")
                #expect(info.sink == Script.hash(1))
                #expect(info.pruningPoint == Script.hash(0))
                #expect(try await client.header(of: Script.hash(1)) == block.header)
                let address = try await client.utxoReturnAddress(of: Script.hash(100), acceptingDAAScore: 1)
                #expect(address == owner.address(on: .mainnet))

                let status = client.status
                #expect(status.connectedURL == url)
                #expect(status.reason == nil)
                #expect(status.isSynced)
                #expect(status.serverVersion == "2.0.0")
                #expect(status.virtualDAAScore == 1)
                #expect(status.lastBlockAt != nil)
            }
        }
    }

    @Test(
        "After each disconnect it comes back, and asked from its cursor the node tells everything", arguments: [1, 10])
    func reconnects(batch: Int) async throws {
        try await withReplay(Self.recording(30), configure: { $0.batch = batch }) { node, url in
            try await withClient([url]) { client in
                // Without a reader of the blocks no answer comes.
                let reader = Task { for await _ in client.blocks {} }
                defer { reader.cancel() }
                var blocks: [AcceptingBlock] = []
                for round in 1...6 {
                    await client.wait(for: .connected)
                    await node.advance(to: round * 10)
                    blocks += try await Self.catchUp(client, from: blocks.last?.header.hash ?? Script.hash(0))
                    node.disconnectAll()
                    await client.wait(for: .disconnected)
                }
                #expect(blocks.map(\.header.hash) == (1...30).map { Script.hash(UInt64($0)) })
            }
        }
    }

    @Test("A node that goes away is replaced by the next, and both by the first when it is there again")
    func nextURL() async throws {
        try await withReplay(Self.recording()) { second, secondURL in
            try await withReplay(Self.recording()) { first, firstURL in
                try await withClient(["http://127.0.0.1:1", firstURL, secondURL]) { client in
                    for expected in [firstURL, secondURL, firstURL] {
                        await client.wait(for: .connected)
                        #expect(client.status.connectedURL == expected)
                        (expected == firstURL ? first : second).disconnectAll()
                        await client.wait(for: .disconnected)
                    }
                }
            }
        }
    }

    @Test("A node that stops altogether is replaced by the next")
    func stoppedNode() async throws {
        try await withReplay(Self.recording()) { _, secondURL in
            let (urls, sink) = AsyncStream.makeStream(of: String.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                let (stop, stopping) = AsyncStream.makeStream(of: Void.self)
                group.addTask {
                    try await withReplay(Self.recording()) { _, firstURL in
                        sink.yield(firstURL)
                        _ = await stop.first { true }
                    }
                }
                let firstURL = try #require(await urls.first { _ in true })
                try await withClient([firstURL, secondURL]) { client in
                    await client.wait(for: .connected)
                    #expect(client.status.connectedURL == firstURL)
                    stopping.finish()
                    await client.wait(for: .disconnected)
                    await client.wait(for: .connected)
                    #expect(client.status.connectedURL == secondURL)
                }
            }
        }
    }

    @Test("A node of another network is left for the next, with the reason")
    func wrongNetwork() async throws {
        try await withReplay(Self.recording()) { wrong, wrongURL in
            let (asked, sink) = AsyncStream.makeStream(of: Void.self)
            wrong.setFaults {
                $0.networkID = "testnet-10"
                $0.filter = { _ in
                    sink.yield()
                    return true
                }
            }
            try await withReplay(Self.recording()) { _, rightURL in
                try await withClient([wrongURL]) { client in
                    // It is asked again after it was left; on a busy machine it may first be left for being slow.
                    let isLeft = await asked.contains { client.status.reason?.contains("testnet-10") == true }
                    #expect(isLeft)
                    #expect(await Self.code { try await client.dagInfo() } == .notConnected)
                }
                try await withClient([wrongURL, rightURL]) { client in
                    await client.wait(for: .connected)
                    #expect(client.status.connectedURL == rightURL)
                }
            }
        }
    }

    @Test("A node that is not synced is asked again until it is")
    func notSynced() async throws {
        try await withReplay(Self.recording()) { node, url in
            let answers = Mutex(0)
            node.setFaults {
                // Synced from its third answer on.
                $0.filter = { message in
                    if case .getServerInfoResponse(var info) = message.payload {
                        info.isSynced = answers.withLock {
                            $0 += 1; return $0 > 2
                        }
                        message.payload = .getServerInfoResponse(info)
                    }
                    return true
                }
            }
            try await withClient([url]) { client in
                await client.wait(for: .connected)
                #expect(client.status.isSynced)
                #expect(answers.withLock { $0 } == 3)
            }
        }
    }

    @Test("A version that is a novel is cut", arguments: [99, 100, 101])
    func longVersion(length: Int) async throws {
        try await withReplay(Self.recording()) { node, url in
            node.setFaults {
                $0.filter = { message in
                    if case .getServerInfoResponse(var info) = message.payload {
                        info.serverVersion = String(repeating: "2", count: length)
                        message.payload = .getServerInfoResponse(info)
                    }
                    return true
                }
            }
            try await withClient([url]) { client in
                await client.wait(for: .connected)
                #expect(client.status.serverVersion?.count == min(length, NodeLink.maximumVersionLength))
            }
        }
    }

    @Test("A request without an answer times out, and others are answered meanwhile")
    func timeout() async throws {
        try await withReplay(Self.recording()) { node, url in
            node.setFaults {
                $0.filter = { if case .getBlockDagInfoResponse = $0.payload { false } else { true } }
            }
            let (connected, sink) = AsyncStream.makeStream(of: NodeEvent.self)
            let configuration = NodeConfiguration(urls: [url], network: .mainnet)
            let link = NodeLink(configuration: configuration, logger: quiet) { sink.yield($0) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await link.run() }
                defer { group.cancelAll() }
                _ = await connected.first { _ in true }
                async let silent = Self.code {
                    try await link.request(.getBlockDagInfoRequest(.init()), timeout: .milliseconds(50))
                }
                _ = try await link.rawVirtualChain(from: Script.hash(0))
                #expect(await silent == .timeout)
                node.setFaults { $0.filter = nil }
                _ = try await link.blockDagInfo()
            }
        }
    }

    @Test("The virtual chain may take twice as long after each timeout, and the node is left after the third")
    func chainTimeout() async throws {
        let limits = [500, 1_000, 2_000, 4_000].map { Duration.milliseconds($0) }
        try await withReplay(Self.recording()) { node, url in
            try await withClient(
                [url], configure: { $0.chainTimeout = ChainTimeout(first: limits[0], longest: limits[3]) }
            ) { client in
                await client.wait(for: .connected)
                func answer() async -> String {
                    do {
                        _ = try await client.virtualChain(from: Script.hash(0))
                        return "answered"
                    } catch {
                        return error.message
                    }
                }
                func silence() {
                    node.setFaults {
                        $0.filter = { if case .getVirtualChainFromBlockV2Response = $0.payload { false } else { true } }
                    }
                }
                for _ in 0..<2 {
                    silence()
                    for limit in limits.prefix(2) { #expect(await answer() == "no answer within \(limit)") }
                    node.setFaults { $0.filter = nil }
                    while await answer() != "answered" {}
                    #expect(client.status.connectedURL == url)
                }
                silence()
                for limit in limits.prefix(3) { #expect(await answer() == "no answer within \(limit)") }
                await client.wait(for: .disconnected)
                node.setFaults { $0.filter = nil }
                await client.wait(for: .connected)
                while await answer() != "answered" {}
            }
        }
    }

    @Test("So many requests may wait and not one more", arguments: [1, 3])
    func busy(limit: Int) async throws {
        try await withReplay(Self.recording()) { node, url in
            try await withClient([url], configure: { $0.maximumOutstandingRequests = limit }) { client in
                await client.wait(for: .connected)
                let (arrived, sink) = AsyncStream.makeStream(of: Void.self)
                node.setFaults {
                    $0.filter = { _ in
                        sink.yield()
                        return false
                    }
                }
                await withTaskGroup(of: NodeError.Code?.self) { group in
                    var arrivals = arrived.makeAsyncIterator()
                    for _ in 0..<limit {
                        group.addTask { await Self.code { try await client.dagInfo() } }
                        await arrivals.next()
                    }
                    #expect(await Self.code { try await client.dagInfo() } == .busy)
                    group.cancelAll()
                    for await code in group { #expect(code == .cancelled) }
                }
                node.setFaults { $0.filter = nil }
                _ = try await client.dagInfo()
            }
        }
    }

    @Test("A disconnect fails who waits at once, and without a node a request fails at once")
    func notConnected() async throws {
        try await withReplay(Self.recording()) { node, url in
            node.setFaults {
                $0.filter = { if case .getBlockDagInfoResponse = $0.payload { false } else { true } }
            }
            try await withClient([url]) { client in
                #expect(client.status.connectedURL != nil || client.status.reason != nil)
                await client.wait(for: .connected)
                async let waiting = Self.code { try await client.dagInfo() }
                _ = try await client.virtualChain(from: Script.hash(0))
                node.setFaults { $0.networkID = "devnet" }
                node.disconnectAll()
                #expect([.transport, .notConnected].contains(await waiting))
                await client.wait(for: .disconnected)
                #expect(await Self.code { try await client.dagInfo() } == .notConnected)
            }
        }
    }

    @Test("The node's errors arrive as what they mean")
    func errors() async throws {
        try await withReplay(Self.recording()) { node, url in
            try await withClient([url]) { client in
                await client.wait(for: .connected)
                #expect(await Self.code { try await client.virtualChain(from: Script.hash(77)) } == .startHashUnknown)
                node.setFaults {
                    $0.refusals[.virtualChain] = .init("consensus is in transitional ibd state", times: 1)
                    $0.refusals[.dagInfo] = .init("no", times: 1)
                }
                #expect(await Self.code { try await client.virtualChain(from: Script.hash(0)) } == .syncing)
                #expect(await Self.code { try await client.dagInfo() } == .rejected)
                #expect(await Self.code { try await client.header(of: Script.hash(77)) } == .startHashUnknown)
                _ = try await client.dagInfo()
            }
        }
    }

    @Test("Garbage in an answer is an error of that answer alone")
    func malformedAnswers() async throws {
        try await withReplay(Self.recording()) { node, url in
            await node.advanceToEnd()
            try await withClient([url]) { client in
                await client.wait(for: .connected)
                let garbage: @Sendable (inout Protowire_KaspadResponse) -> Bool = { message in
                    switch message.payload {
                    case .getVirtualChainFromBlockV2Response(var answer):
                        answer.addedChainBlockHashes = ["nonsense"]
                        message.payload = .getVirtualChainFromBlockV2Response(answer)
                    case .getBlockDagInfoResponse:
                        message.payload = .pingResponse(.init())
                    case .getBlockResponse:
                        message.payload = nil
                    case .getUtxoReturnAddressResponse:
                        message.payload = .getUtxoReturnAddressResponse(.with { $0.returnAddress = "kaspatest:qq" })
                    default:
                        break
                    }
                    return true
                }
                func expectMalformed(_ ask: () async throws -> some Any) async throws {
                    node.setFaults { $0.filter = garbage }
                    #expect(await Self.code(ask) == .malformedAnswer)
                    // A good answer in between: several bad ones in a row would end the connection.
                    node.setFaults { $0.filter = nil }
                    _ = try await client.dagInfo()
                }
                try await expectMalformed { try await client.virtualChain(from: Script.hash(0)) }
                try await expectMalformed { try await client.dagInfo() }
                try await expectMalformed { try await client.header(of: Script.hash(1)) }
                try await expectMalformed { try await client.utxoReturnAddress(of: .zero, acceptingDAAScore: 1) }
            }
        }
    }

    @Test("A block that cannot be read is left out, and the next one comes")
    func malformedBlock() async throws {
        try await withReplay(Self.recording()) { node, url in
            node.setFaults {
                $0.filter = { message in
                    if case .blockAddedNotification(var added) = message.payload,
                        added.block.header.hash == Script.hash(1).description
                    {
                        added.block.header.hash = "nonsense"
                        message.payload = .blockAddedNotification(added)
                    }
                    return true
                }
            }
            try await withClient([url]) { client in
                await client.wait(for: .connected)
                async let told: Void = node.advanceToEnd()
                #expect(await client.blocks.first { _ in true }?.header.hash == Script.hash(2))
                for await block in client.blocks where block.header.hash == Script.hash(5) { break }
                await told
            }
        }
    }

    @Test("Messages over 4 MiB arrive, as notification and as answer", arguments: [false, true])
    func large(usesCompression: Bool) async throws {
        var script = Script()
        // Twice as long in hex: over gRPC's usual limit of 4 MiB.
        let payload = Array("ciph_msg:".utf8) + [UInt8](repeating: 0xcd, count: 5 << 19)
        script.tell(1, on: 0, transactions: [Script.transaction(100, payload: payload)])
        script.change(adding: [1])
        try await withReplay(script.recording) { node, url in
            try await withClient([url], configure: { $0.usesCompression = usesCompression }) { client in
                await client.wait(for: .connected)
                async let told: Void = node.advanceToEnd()
                let block = try #require(await client.blocks.first { _ in true })
                await told
                #expect(block.transactions.map(\.payload.count) == [payload.count])
                let update = try await client.virtualChain(from: Script.hash(0))
                #expect(update.added.first?.transactions == block.transactions)
            }
        }
    }

    @Test("A peer that accepts the connection and says nothing is given up after the connect timeout")
    func silentPeer() async throws {
        let listener = try SilentListener()
        defer { listener.close() }
        try await withReplay(Self.recording()) { _, url in
            try await withClient(
                ["http://127.0.0.1:\(listener.port)", url], configure: { $0.connectTimeout = .milliseconds(300) }
            ) { client in
                await client.wait(for: .connected)
                #expect(client.status.connectedURL == url)
            }
        }
    }

    @Test("Cancelled, it ends, and its blocks and hints finish")
    func ends() async throws {
        try await withReplay(Self.recording()) { node, url in
            let client = NodeClient(configuration: NodeConfiguration(urls: [url], network: .mainnet), logger: quiet)
            let task = Task { try await client.run() }
            await client.wait(for: .connected)
            // Nobody reads the blocks: the client holds one when it is cancelled.
            await node.advance(to: 1)
            task.cancel()
            try await task.value
            for await _ in client.blocks {}
            for await _ in client.hints {}
            #expect(await Self.code { try await client.dagInfo() } == .notConnected)
        }
    }

    @Test("A URL that is none, or no URL at all, is said before anything is tried", arguments: [["node:16110"], []])
    func invalidURL(urls: [String]) async {
        let client = NodeClient(configuration: NodeConfiguration(urls: urls, network: .mainnet), logger: quiet)
        #expect(await Self.code { try await client.run() } == .invalidURL)
    }
}

/// A TCP socket whose connections the kernel accepts and nobody serves.
private struct SilentListener {
    let descriptor: Int32
    let port: UInt16

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = descriptor
        port =
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    guard bind(socket, generic, size) == 0, listen(socket, 8) == 0 else { return 0 }
                    return getsockname(socket, generic, &size) == 0 ? 1 : 0
                }
            } == 1 ? UInt16(bigEndian: address.sin_port) : 0
        try #require(port != 0)
    }

    func close() {
        _ = Glibc.close(descriptor)
    }
}
