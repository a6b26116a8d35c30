import Kaspa
import KaspaNode
import NIOCore
import NIOPosix
import Recordings
import ReplaySupport
import SwiftProtobuf
import Synchronization
import Testing

@testable import KaspadReplay

@Suite(.timeLimit(.minutes(5))) struct ReplayNodeTests {
    private static func recording(_ count: UInt64 = 5) -> Recording {
        var script = RecordingScript()
        script.extend(from: 1, count: count)
        return script.recording
    }

    private static func isConnected(_ event: NodeEvent) -> Bool {
        if case .connected = event { true } else { false }
    }

    /// The numbers of the blocks told, until `count` have come.
    private static func blocks(_ count: Int, in events: AsyncStream<NodeEvent>) async -> [Hash] {
        var hashes: [Hash] = []
        for await event in events {
            if case .blockAdded(let block, _) = event, let hash = Hash(block.header.hash) { hashes.append(hash) }
            if hashes.count == count { break }
        }
        return hashes
    }

    private static func hashes(_ numbers: [UInt64]) -> [Hash] { numbers.map(RecordingScript.hash) }

    @Test("It answers only from what it has told")
    func steps() async throws {
        try await withReplay(Self.recording()) { node, url in
            try await withLink(to: url) { link, events in
                _ = await events.first(where: Self.isConnected)
                var sinks = [try await link.blockDagInfo().sink]
                await node.advance(to: 4)
                sinks.append(try await link.blockDagInfo().sink)
                await node.advance(to: 1)
                #expect(node.playedCount == 4)
                await node.advanceToEnd()
                #expect(node.playedCount == node.entryCount)
                sinks.append(try await link.blockDagInfo().sink)
                #expect(sinks == Self.hashes([0, 2, 5]).map(\.description))
            }
        }
    }

    @Test("Every request has its answer")
    func answers() async throws {
        try await withReplay(Self.recording()) { node, url in
            await node.advanceToEnd()
            try await withLink(to: url) { link, events in
                _ = await events.first(where: Self.isConnected)
                #expect(try await link.serverInfo().networkID == "mainnet")
                #expect(try await link.blockDagInfo().networkName == "kaspa-mainnet")
                #expect(
                    try await link.block(RecordingScript.hash(1)).header.hash == RecordingScript.hash(1).description)
                #expect(try await link.rawVirtualChain(from: RecordingScript.hash(0)).addedChainBlockHashes.count == 5)
                guard
                    case .getInfoResponse(let info) = try await link.request(
                        .getInfoRequest(.init()), timeout: nil
                    ).payload,
                    case .pingResponse = try await link.request(.pingRequest(.init()), timeout: nil).payload,
                    case .getBlocksResponse(let blocks) = try await link.request(
                        .getBlocksRequest(.init()), timeout: nil
                    ).payload
                else {
                    Issue.record("an answer of another kind")
                    return
                }
                #expect(info.isSynced)
                #expect(blocks.blockHashes.count == 5)
                await #expect { try await link.returnAddress(of: .zero, acceptingDAAScore: 1) } throws: {
                    ($0 as? NodeError)?.code == .rejected
                }
            }
        }
    }

    @Test("What only other clients ask is answered from the recording, too", arguments: ["mainnet", "testnet-10"])
    func otherClients(networkID: String) async throws {
        var script = RecordingScript(networkID: networkID)
        script.tell(1, on: 0, transactions: [RecordingScript.transaction(100)])
        script.change(adding: [1])
        script.extend(from: 2, count: 4)
        var configuration = ReplayConfiguration()
        configuration.pace = .stepped
        let node = try ReplayNode(recording: script.recording, configuration: configuration, logger: quiet)
        await node.advanceToEnd()
        node.setFaults {
            $0.isSynced = false
            $0.refusals[.ping] = .init("busy", times: 1)
        }
        // Two entries a block, 100 ms an entry.
        let bucket = Protowire_RpcFeerateBucket.with {
            $0.feerate = 1
            $0.estimatedSeconds = 0.2
        }
        let estimate = Protowire_RpcFeeEstimate.with {
            $0.priorityBucket = bucket
            $0.normalBuckets = [bucket]
            $0.lowBuckets = [bucket]
        }
        let count = Protowire_GetBlockCountResponseMessage.with {
            $0.blockCount = 5
            $0.headerCount = 5
        }
        let kind = networkID == "mainnet" ? "mainnet" : "testnet"
        let sink = RecordingScript.hash(5).description
        typealias Question = Protowire_KaspadRequest.OneOf_Payload
        let answers: [(Question, Protowire_KaspadResponse.OneOf_Payload)] = [
            (.getCurrentNetworkRequest(.init()), .getCurrentNetworkResponse(.with { $0.currentNetwork = kind })),
            (.getSinkRequest(.init()), .getSinkResponse(.with { $0.sink = sink })),
            (.getSinkBlueScoreRequest(.init()), .getSinkBlueScoreResponse(.with { $0.blueScore = 5 })),
            (.getBlockCountRequest(.init()), .getBlockCountResponse(count)),
            (.getSyncStatusRequest(.init()), .getSyncStatusResponse(.init())),
            (.getFeeEstimateRequest(.init()), .getFeeEstimateResponse(.with { $0.estimate = estimate })),
            (.pingRequest(.init()), .pingResponse(.with { $0.error.message = "busy" })),
        ]
        for (question, expected) in answers {
            let answer = try node.answer(.with { $0.payload = question }, for: node.open())
            #expect(answer?.payload == expected)
        }
    }

    @Test("Before what it waits for has come, it has told what comes at the first moment, and no more")
    func begins() async throws {
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let time = Mutex<UInt64>(1_900_000_000_000)
        let configure: (inout ReplayConfiguration) -> Void = {
            $0.pace = .realTime(factor: 10)
            $0.blockTimes = .moved
            $0.now = { time.withLock { $0 } }
            $0.begins = { await gate.first { true } != nil }
        }
        try await withReplay(Self.recording(), configure: configure) { node, url in
            try await withLink(to: url) { link, events in
                _ = await events.first(where: Self.isConnected)
                let first = RecordingScript.hash(1)
                var block: Protowire_RpcBlock?
                while block == nil { block = try? await link.block(first) }
                #expect(block?.header.timestamp == 1_900_000_000_000)
                #expect(node.playedCount == 1)
                time.withLock { $0 += 60_000 }
                opening.yield()
                #expect(await events.first { $0.blockHash == RecordingScript.hash(5) } != nil)
                // The second block is 200 ms behind the first, at ten times its speed.
                let second = try await link.block(RecordingScript.hash(2))
                #expect(second.header.timestamp == 1_900_000_060_020)
            }
        }
    }

    @Test("What waits for ever ends with the node")
    func neverBegins() async throws {
        try await withReplay(
            Self.recording(),
            configure: { $0.begins = { await AsyncStream<Void>.makeStream().stream.first { true } != nil } }
        ) { node, _ in
            while node.playedCount == 0 { await Task.yield() }
        }
    }

    @Test("Blocks go to those who asked for them, from the moment they asked until they ask for no more")
    func subscriptions() async throws {
        try await withReplay(Self.recording()) { node, url in
            try await withLink(to: url) { link, events in
                _ = await events.first(where: Self.isConnected)
                await node.advance(to: 2)
                #expect(await Self.blocks(1, in: events) == Self.hashes([1]))
                _ = try await link.request(.notifyBlockAddedRequest(.with { $0.command = .notifyStop }), timeout: nil)
                await node.advance(to: 4)
                _ = try await link.request(.notifyBlockAddedRequest(.with { $0.command = .notifyStart }), timeout: nil)
                await node.advance(to: 6)
                #expect(await Self.blocks(1, in: events) == Self.hashes([3]))
            }
        }
    }

    @Test("Notifications can be sent twice and kept back")
    func repeatedAndDropped() async throws {
        try await withReplay(Self.recording()) { node, url in
            try await withLink(to: url) { _, events in
                _ = await events.first(where: Self.isConnected)
                node.setFaults { $0.notificationRepeats = 1 }
                await node.advance(to: 1)
                node.setFaults {
                    $0.notificationRepeats = 0; $0.dropsNotifications = true
                }
                await node.advance(to: 3)
                node.setFaults { $0.dropsNotifications = false }
                await node.advance(to: 5)
                #expect(await Self.blocks(3, in: events) == Self.hashes([1, 1, 3]))
            }
        }
    }

    @Test("Changes of the virtual chain and of the DAA score are told with what was asked for")
    func chainNotifications() async throws {
        var script = RecordingScript()
        script.tell(1, on: 0, transactions: [RecordingScript.transaction(100)])
        script.change(adding: [1])
        try await withReplay(script.recording) { node, url in
            let seen = Mutex<[Protowire_KaspadResponse.OneOf_Payload]>([])
            node.setFaults {
                $0.filter = { message in
                    if message.id == 0, let payload = message.payload { seen.withLock { $0.append(payload) } }
                    return true
                }
            }
            try await withLink(to: url) { link, events in
                _ = await events.first(where: Self.isConnected)
                _ = try await link.request(
                    .notifyVirtualChainChangedRequest(.with { $0.includeAcceptedTransactionIds = true }), timeout: nil)
                _ = try await link.request(.notifyVirtualDaaScoreChangedRequest(.init()), timeout: nil)
                await node.advanceToEnd()
            }
            let block = RecordingScript.hash(1).description
            let payloads = seen.withLock { $0 }
            #expect(payloads.contains(.virtualDaaScoreChangedNotification(.with { $0.virtualDaaScore = 1 })))
            #expect(
                payloads.contains(
                    .virtualChainChangedNotification(
                        .with {
                            $0.addedChainBlockHashes = [block]
                            $0.acceptedTransactionIds = [
                                .with {
                                    $0.acceptingBlockHash = block
                                    $0.acceptedTransactionIds = [RecordingScript.hash(100).description]
                                }
                            ]
                        })))
        }
    }

    @Test("A request is refused as often as it was told to be")
    func refusals() async throws {
        try await withReplay(Self.recording()) { node, url in
            try await withLink(to: url) { link, events in
                _ = await events.first(where: Self.isConnected)
                node.setFaults { $0.refusals[.dagInfo] = .init("in transitional ibd state", times: 2) }
                for _ in 0..<2 {
                    await #expect { try await link.blockDagInfo() } throws: { ($0 as? NodeError)?.code == .syncing }
                }
                _ = try await link.blockDagInfo()
            }
        }
    }

    @Test("At full speed nobody who reads is cut off, however small the queue")
    func fullSpeed() async throws {
        try await withReplay(Self.recording(400), configure: { $0.queueCapacity = 4 }) { node, url in
            try await withLink(to: url) { _, events in
                _ = await events.first(where: Self.isConnected)
                async let advanced: Void = node.advanceToEnd()
                #expect(await Self.blocks(400, in: events).count == 400)
                await advanced
            }
        }
    }

    @Test("At real time a subscriber that does not read is cut off")
    func slowSubscriber() async throws {
        var script = RecordingScript()
        // More in all than the windows and buffers between the two take: 48 MiB of hex.
        let transaction = RecordingScript.transaction(100, payload: [UInt8](repeating: 1, count: 1 << 18))
        for number in 1...96 as ClosedRange<UInt64> {
            script.tell(number, on: number - 1, transactions: [transaction])
        }
        // Nothing is due before the reader has connected: the test plays it.
        var recording = script.recording
        for index in recording.entries.indices { recording.entries[index].offsetMs += 1_000_000 }
        try await withReplay(
            recording,
            configure: {
                $0.queueCapacity = 8
                $0.pace = .realTime(factor: 1)
            }
        ) { node, url in
            let (reached, sink) = AsyncStream.makeStream(of: NodeEvent.self)
            let (gate, opening) = AsyncStream.makeStream(of: Void.self)
            let link = NodeLink(configuration: NodeConfiguration(urls: [url], network: .mainnet), logger: quiet) {
                event in
                sink.yield(event)
                if case .blockAdded = event { _ = await gate.first { true } }
            }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await link.run() }
                _ = await reached.first(where: Self.isConnected)
                await node.advanceToEnd()
                opening.finish()
                _ = await reached.first {
                    if case .disconnected(let error) = $0 { error.message.contains("too slow") } else { false }
                }
                group.cancelAll()
            }
        }
    }

    @Test("It plays at the recorded offsets and ends with the shutdown")
    func realTime() async throws {
        try await withReplay(Self.recording(3), configure: { $0.pace = .realTime(factor: 10) }) { node, url in
            try await withLink(to: url) { link, events in
                _ = await events.first(where: Self.isConnected)
                var sink = ""
                while sink != RecordingScript.hash(3).description {
                    sink = try await link.blockDagInfo().sink
                }
            }
        }
    }

    @Test("With moved times the last block is of now")
    func movedTimes() async throws {
        let configure: (inout ReplayConfiguration) -> Void = {
            $0.blockTimes = .moved
            $0.now = { 1_900_000_000_000 }
        }
        try await withReplay(Self.recording(), configure: configure) { node, url in
            await node.advanceToEnd()
            try await withLink(to: url) { link, events in
                _ = await events.first(where: Self.isConnected)
                #expect(try await link.block(RecordingScript.hash(5)).header.timestamp == 1_900_000_000_000)
                let chain = try await link.rawVirtualChain(from: RecordingScript.hash(4))
                #expect(chain.chainBlockAcceptedTransactions.map(\.chainBlockHeader.timestamp) == [1_900_000_000_000])
            }
        }
    }

    @Test("A recording that no node tells is refused with the entry's number")
    func inconsistentRecording() throws {
        var recording = Self.recording()
        recording.entries[3].virtualChain.removedChainBlockHashes = [RecordingScript.hash(9).description]
        #expect {
            try ReplayNode(recording: recording, configuration: ReplayConfiguration(), logger: quiet)
        } throws: {
            ($0 as? RecordingError)?.message.contains("entry 3") == true
        }
    }

    @Test("Cancelled before it listens, it ends")
    func cancelledEarly() async throws {
        let node = try ReplayNode(recording: Self.recording(), configuration: ReplayConfiguration(), logger: quiet)
        let task = Task { try await node.run() }
        task.cancel()
        _ = await task.result
    }

    @Test("Cancelled while clients come, it ends in order and waits for none that says nothing", arguments: 0..<20)
    func cancelledWhileAccepting(round: Int) async throws {
        let node = try ReplayNode(recording: Self.recording(), configuration: ReplayConfiguration(), logger: quiet)
        let task = Task { try await node.run() }
        let port = try await node.boundPort
        let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        let clients = (0..<16).map { _ in bootstrap.connect(host: "127.0.0.1", port: port) }
        // Some connections are accepted and not yet looked after.
        _ = try? await clients[8].get()
        task.cancel()
        await #expect(throws: Never.self) { try await task.value }
        for client in clients { try? await client.get().close() }
    }
}

extension NodeEvent {
    /// The hash of the block that it tells of.
    fileprivate var blockHash: Hash? {
        if case .blockAdded(let block, _) = self { Hash(block.header.hash) } else { nil }
    }
}
