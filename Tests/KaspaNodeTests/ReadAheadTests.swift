import AsyncAlgorithms
import Kaspa
import KaspaNode
import KaspadReplay
import ReplaySupport
import Synchronization
import Testing

@Suite("Reading the virtual chain ahead", .timeLimit(.minutes(5)))
struct ReadAheadTests {
    private typealias Script = RecordingScript

    /// What a node has answered about the virtual chain.
    private final class Answers: Sendable {
        private let counted = Mutex(0)
        private let withheld = Mutex<Hash?>(nil)
        private let (changes, sink) = AsyncStream.makeStream(of: Void.self)

        init(of node: ReplayNode) {
            node.setFaults { faults in
                faults.filter = { [self] message in
                    guard case .getVirtualChainFromBlockV2Response(let answer) = message.payload else { return true }
                    counted.withLock { $0 += 1 }
                    sink.yield()
                    guard let withheld = withheld.withLock({ $0 }) else { return true }
                    return answer.addedChainBlockHashes.first != withheld.description
                }
            }
        }

        /// Answers that begin with this block do not leave the node any more.
        func withhold(_ first: Hash?) { withheld.withLock { $0 = first } }

        var count: Int { counted.withLock { $0 } }

        /// Returns once there were so many.
        func reach(_ number: Int) async {
            if count >= number { return }
            for await _ in changes where count >= number { return }
        }
    }

    /// Runs a client at a node with this many chain blocks, of which an answer holds five.
    private func withNode(
        blocks: UInt64, played: Int? = nil, timeout: Duration = .seconds(60), age: Duration = .seconds(600),
        _ body: (NodeClient, ReplayNode) async throws -> Void
    ) async throws {
        var script = Script()
        script.extend(from: 1, count: blocks)
        try await withReplay(script.recording, configure: { $0.batch = 5 }) { node, url in
            try await withClient([url]) {
                $0.chainTimeout = ChainTimeout(first: timeout, longest: timeout)
                $0.readAheadAge = age
            } _: { client in
                // Without a reader of the blocks no answer comes.
                let reader = Task { for await _ in client.blocks {} }
                defer { reader.cancel() }
                await client.wait(for: .connected)
                if let played { await node.advance(to: played) } else { await node.advanceToEnd() }
                try await body(client, node)
            }
        }
    }

    private static func hashes(_ update: VirtualChainUpdate) -> [Hash] { update.added.map(\.header.hash) }

    private static func expected(_ numbers: ClosedRange<UInt64>) -> [Hash] { numbers.map { Script.hash($0) } }

    @Test("The node is asked for what comes next before anybody asks for it, and no further")
    func ahead() async throws {
        try await withNode(blocks: 23) { client, node in
            let answers = Answers(of: node)
            let first = try await client.virtualChain(from: Script.hash(0), readingAhead: true)
            #expect(Self.hashes(first) == Self.expected(1...5))
            await answers.reach(2)
            let second = try await client.virtualChain(from: Script.hash(5), readingAhead: false)
            #expect(Self.hashes(second) == Self.expected(6...10))
            #expect(answers.count == 2)
            let third = try await client.virtualChain(from: Script.hash(10), readingAhead: false)
            #expect(Self.hashes(third) == Self.expected(11...15))
            #expect(answers.count == 3)
        }
    }

    @Test("Read ahead or not, the chain is the same", arguments: [true, false])
    func same(readingAhead: Bool) async throws {
        try await withNode(blocks: 203) { client, node in
            let answers = Answers(of: node)
            var found: [Hash] = []
            var asked = 0
            while true {
                let update = try await client.virtualChain(
                    from: found.last ?? Script.hash(0), readingAhead: readingAhead)
                asked += 1
                if update.added.isEmpty { break }
                found += Self.hashes(update)
            }
            #expect(found == Self.expected(1...203))
            // The end is asked for once more, when it is asked for.
            #expect(asked == 42 && answers.count == asked + (readingAhead ? 1 : 0))
        }
    }

    @Test("That there was nothing more when it was asked ahead is asked again")
    func notStale() async throws {
        try await withNode(blocks: 8, played: 10) { client, node in
            let answers = Answers(of: node)
            let first = try await client.virtualChain(from: Script.hash(0), readingAhead: true)
            #expect(Self.hashes(first) == Self.expected(1...5))
            await answers.reach(2)
            await node.advanceToEnd()
            let second = try await client.virtualChain(from: Script.hash(5), readingAhead: true)
            #expect(Self.hashes(second) == Self.expected(6...8))
        }
    }

    @Test("What was asked ahead too long ago is asked again", arguments: [true, false])
    func old(isOld: Bool) async throws {
        try await withNode(blocks: 30, age: isOld ? .zero : .seconds(600)) { client, node in
            let answers = Answers(of: node)
            _ = try await client.virtualChain(from: Script.hash(0), readingAhead: true)
            await answers.reach(2)
            let update = try await client.virtualChain(from: Script.hash(5), readingAhead: false)
            #expect(Self.hashes(update) == Self.expected(6...10))
            #expect(answers.count == (isOld ? 3 : 2))
        }
    }

    @Test("Who asks from elsewhere gets the answer to that question")
    func elsewhere() async throws {
        try await withNode(blocks: 30) { client, node in
            let answers = Answers(of: node)
            for start in [0, 3, 20, 5, 25, 0] as [UInt64] {
                let before = answers.count
                let update = try await client.virtualChain(from: Script.hash(start), readingAhead: true)
                #expect(Self.hashes(update) == Self.expected(start + 1...start + 5))
                await answers.reach(before + 1)
            }
        }
    }

    @Test("An answer that does not come to what was asked ahead is a timeout for who asks, and the next has its own")
    func silent() async throws {
        try await withNode(blocks: 30, timeout: .milliseconds(300)) { client, node in
            let answers = Answers(of: node)
            // A slow machine may need more than one question.
            func ask(_ start: UInt64) async throws -> VirtualChainUpdate {
                while true {
                    if let update = try? await client.virtualChain(from: Script.hash(start), readingAhead: true) {
                        return update
                    }
                    try Task.checkCancellation()
                }
            }
            answers.withhold(Script.hash(6))
            _ = try await ask(0)
            await answers.reach(2)
            let error = await #expect(throws: NodeError.self) {
                _ = try await client.virtualChain(from: Script.hash(5), readingAhead: true)
            }
            #expect(error?.code == .timeout)
            answers.withhold(nil)
            #expect(Self.hashes(try await ask(5)) == Self.expected(6...10))
        }
    }

    @Test("What was asked ahead on a connection that broke is asked again on the next")
    func disconnected() async throws {
        try await withNode(blocks: 30) { client, node in
            let answers = Answers(of: node)
            _ = try await client.virtualChain(from: Script.hash(0), readingAhead: true)
            await answers.reach(2)
            node.disconnectAll()
            await client.wait(for: .disconnected)
            await client.wait(for: .connected)
            let update = try await client.virtualChain(from: Script.hash(5), readingAhead: true)
            #expect(Self.hashes(update) == Self.expected(6...10))
            await answers.reach(4)
        }
    }
}
