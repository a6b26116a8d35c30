import AsyncAlgorithms
import Kaspa
import KaspaNode
import KaspadReplay
import Recordings
import ReplaySupport
import SwiftProtobuf
import Testing

/// What arrives over the real wire of what a node tells.
@Suite(.timeLimit(.minutes(10))) struct NodeReadingTests {
    private typealias Script = RecordingScript
    private static let watched = Kaspa.Script(bytes: SampleMessages.scripts[0])
    private static let foreign = Kaspa.Script(bytes: SampleMessages.scripts[2])

    /// A block with one transaction of ours, one that pays and one that spends what is watched, and two of strangers.
    private static var recording: Recording {
        var script = Script()
        script.tell(
            1, on: 0,
            transactions: [
                Script.transaction(100, payload: [1, 2], spending: 90, from: foreign, to: [(foreign, 1)]),
                Script.transaction(101, payload: Array("kchat:x".utf8), spending: 91, from: foreign),
                Script.transaction(102, spending: 92, from: foreign, to: [(foreign, 1), (watched, 5)]),
                Script.transaction(103, spending: 93, from: watched, to: [(foreign, 5)]),
                Script.transaction(104, payload: Array("kchat:".utf8), spending: 94),
            ])
        script.change(adding: [1])
        return script.recording
    }

    private static let cases: [(WireReading, inBlock: [UInt64], accepted: [UInt64])] = [
        (.ours(watching: NothingWatched()), [101], [101]),
        (.ours(watching: SampleMessages.watched), [101], [101, 102, 103]),
        (.whole, [100, 101, 102, 103, 104], [100, 101, 102, 103, 104]),
    ]

    @Test("Those transactions come that were asked for, and all are counted", arguments: cases.indices)
    func kept(number: Int) async throws {
        let (reading, inBlock, accepted) = Self.cases[number]
        try await withReplay(Self.recording) { node, url in
            try await withClient([url], reading: reading) { client in
                await client.wait(for: .connected)
                async let told: Void = node.advanceToEnd()
                let block = try #require(await client.blocks.first { _ in true })
                await told
                #expect(block.transactions.map(\.id) == inBlock.map(Script.hash))
                #expect(block.transactionCount == 5 && block.omittedTransactionCount == 0)
                let update = try await client.virtualChain(from: Script.hash(0))
                #expect(update.added.map { $0.transactions.map(\.id) } == [accepted.map(Script.hash)])
                #expect(update.added.map(\.header) == [block.header])
                #expect(update.transactionCount == 5)
            }
        }
    }

    @Test("Bytes that are no message end the connection, and say so", arguments: [false, true])
    func garbage(readsWhole: Bool) async throws {
        // Deeper than messages may be: whoever encodes does not see it.
        var answer = Protowire_GetVirtualChainFromBlockV2ResponseMessage()
        try answer.merge(
            serializedBytes: [UInt8](repeating: 0x7b, count: 99) + [UInt8](repeating: 0x7c, count: 99))
        try await withReplay(Self.recording) { [answer] node, url in
            node.setFaults {
                $0.filter = { message in
                    if case .getVirtualChainFromBlockV2Response = message.payload {
                        message.payload = .getVirtualChainFromBlockV2Response(answer)
                    }
                    return true
                }
            }
            let (events, sink) = AsyncStream.makeStream(of: NodeEvent.self)
            let link = NodeLink(
                configuration: NodeConfiguration(urls: [url], network: .mainnet),
                reading: readsWhole ? .whole : .ours(watching: NothingWatched()), logger: quiet
            ) { sink.yield($0) }
            await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await link.run() }
                defer { group.cancelAll() }
                var events = events.makeAsyncIterator()
                while case .connected? = await events.next() {
                    await #expect(throws: NodeError.self) { try await link.rawVirtualChain(from: Script.hash(0)) }
                    guard case .disconnected(let error)? = await events.next() else { continue }
                    #expect(error.code == .malformedAnswer)
                    return
                }
                Issue.record("no connection")
            }
        }
    }
}
