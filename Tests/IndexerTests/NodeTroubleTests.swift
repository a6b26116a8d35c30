import Kaspa
import KaspaNode
import Logging
import RecordedLogs
import Synchronization
import Testing

@testable import Indexer
@testable import Store

@Suite("Trouble with the node and the store")
struct NodeTroubleTests {
    @Test("a pruned cursor goes on at the pruning point, and the gap is counted")
    func gap() async throws {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1)])])
        await indexer.processor.catchUp()
        indexer.node.change { $0.chain = [chainBlock(7, [message(2)]), chainBlock(8, [message(3)])] }
        await indexer.processor.catchUp()
        #expect(indexer.status.gaps == 1)
        #expect(try await indexer.operation(2) == nil)
        #expect(try await indexer.operation(3) != nil)
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(8))
        #expect(indexer.status.nodeTrouble == nil && indexer.status.unknownCursorWait == nil)
        await indexer.processor.catchUp()
        #expect(indexer.status.gaps == 1)
    }

    private static let urls = ["http://node", "http://second"]

    /// An indexer at block 1 with two configured nodes, of which the first has pruned that block and has been left.
    private func prunedFirst() async throws -> TestIndexer {
        let indexer = try await TestIndexer(emptyChain(0..<2))
        await indexer.processor.catchUp()
        indexer.node.change {
            $0.urls = Self.urls
            $0.chain = emptyChain(7..<9)
        }
        await indexer.processor.catchUp()
        #expect(indexer.node.now.left.count == 1)
        #expect(indexer.node.now.left.first?.hasPrefix("http://node: the node has pruned the block") == true)
        #expect(indexer.status.gaps == 0 && indexer.status.nodeTrouble?.contains("cannot find header") == true)
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(1))
        return indexer
    }

    @Test("what one node has pruned and another one has is read there, and is no gap")
    func secondHasIt() async throws {
        let indexer = try await prunedFirst()
        indexer.node.change {
            $0.url = Self.urls[1]
            $0.chain = emptyChain(0..<2) + [chainBlock(2, [message(1)]), chainBlock(3)]
        }
        await indexer.processor.catchUp()
        #expect(indexer.status.gaps == 0 && indexer.status.nodeTrouble == nil)
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(3))
        #expect(try await indexer.events() == [1])
        // From another block on, the first one's word is asked for anew.
        indexer.clock.now += NodesWithoutCursor.patience
        indexer.node.change { $0.chain = emptyChain(7..<9) }
        await indexer.processor.catchUp()
        #expect(indexer.status.gaps == 0 && indexer.node.now.left.count == 2)
    }

    @Test("what both nodes have pruned is a gap")
    func bothPruned() async throws {
        let indexer = try await prunedFirst()
        indexer.node.change { $0.url = Self.urls[1] }
        await indexer.processor.catchUp()
        #expect(indexer.status.gaps == 1 && indexer.node.now.left.count == 1)
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(8))
    }

    @Test("a node that cannot be asked is waited for some minutes before a gap is left", arguments: [-1, 0])
    func patience(excess: Int) async throws {
        let indexer = try await prunedFirst()
        indexer.clock.now = UInt64(Int(epoch + NodesWithoutCursor.patience) + excess)
        await indexer.processor.catchUp()
        #expect(indexer.status.gaps == (excess < 0 ? 0 : 1))
        #expect(indexer.node.now.left.count == (excess < 0 ? 2 : 1))
    }

    @Test("the other text of a pruned cursor means the same")
    func retentionRoot() async throws {
        let indexer = try await TestIndexer([chainBlock(0)])
        await indexer.processor.catchUp()
        let text = "block \(hash(0)) does not have retention root on its chain"
        indexer.node.change {
            $0.chain = emptyChain(3..<5)
            $0.scripted = [.failure(NodeError(refusal: text))]
        }
        await indexer.processor.catchUp()
        #expect(indexer.status.gaps == 1 && indexer.status.blockHash == hash(4))
    }

    @Test("a node that does not even know its own pruning point is not followed in circles", .timeLimit(.minutes(5)))
    func circle() async throws {
        let indexer = try await TestIndexer([chainBlock(0)])
        await indexer.processor.catchUp()
        indexer.node.change {
            $0.scripted = Array(repeating: .failure(NodeError(.startHashUnknown, "cannot find header")), count: 50)
        }
        await indexer.processor.catchUp()
        #expect(indexer.node.now.scripted.count == 49)
        #expect(indexer.status.nodeTrouble == "cannot find header" && indexer.status.gaps == 0)
    }

    /// A node that has not seen the cursor's block.
    struct UnknowingNode: Sendable {
        /// By how much its outline's DAA score is above its sink's.
        let aboveSink: Int
        /// How long it gets.
        let patience: UInt64
    }

    private static let unknowingNodes = [
        UnknowingNode(aboveSink: 9, patience: UnknownCursorWait.lowerNodePatience),
        UnknowingNode(aboveSink: 10, patience: UnknownCursorWait.patience),
        UnknowingNode(aboveSink: 11, patience: UnknownCursorWait.patience),
    ]

    @Test(
        "a node that does not know the cursor is waited for, longer if it is lower: no gap, no second reading",
        arguments: unknowingNodes, [-1, 0])
    func behind(node: UnknowingNode, excess: Int) async throws {
        let chain = emptyChain(0..<2) + [chainBlock(2, [message(1)]), chainBlock(3, [message(2)])]
        let indexer = try await TestIndexer(chain)
        await indexer.processor.catchUp()
        // Another node, which has not seen the last block yet; that is 10 scores above the one before.
        indexer.node.change {
            $0.chain = Array(chain.dropLast())
            $0.aboveSink = node.aboveSink
        }
        await indexer.processor.catchUp()
        #expect(indexer.status.nodeTrouble?.contains("cannot find header") == true)
        #expect(indexer.status.unknownCursorWait?.since == epoch)
        indexer.clock.now = UInt64(Int(epoch + node.patience) + excess)
        let before = indexer.node.now.asked.count
        await indexer.processor.catchUp()
        if excess < 0 {
            #expect(indexer.node.now.asked.count == before + 1)
            #expect(try await indexer.store.history.cursor()?.blockHash == hash(3))
            // So that the message is not too old to be told.
            indexer.clock.now = epoch
            indexer.node.change { $0.chain = chain + [chainBlock(4, [message(3)])] }
            await indexer.processor.catchUp()
            #expect(try await indexer.events() == [1, 2, 3])
        } else {
            #expect(indexer.node.now.asked.dropFirst(before).first == hash(3))
            #expect(indexer.node.now.asked.dropFirst(before + 1).first == hash(0), "everything is read again")
            #expect(try await indexer.store.history.cursor()?.blockHash == hash(2))
            #expect(try await indexer.events() == [1, 2], "and nothing becomes an event again")
        }
        #expect(
            indexer.status.gaps == 0 && indexer.status.unknownCursorWait == nil && indexer.status.nodeTrouble == nil)
    }

    @Test("a node that does not know the cursor is one line in the log, and it is told how long it is waited for")
    func awaited() async throws {
        let logs = RecordedLogs()
        let chain = emptyChain(0..<4)
        let indexer = try await TestIndexer(chain, logger: logs.logger)
        await indexer.processor.catchUp()
        #expect(indexer.processor.status.nodeSentence(at: epoch) == nil)
        indexer.node.change {
            $0.chain = Array(chain.dropLast())
            $0.aboveSink = 10
        }
        for second in 0..<UnknownCursorWait.patience / 1_000 {
            indexer.clock.now = epoch + second * 1_000
            await indexer.processor.catchUp()
            let left = UnknownCursorWait.patience / 1_000 - second
            let sentence = indexer.processor.status.nodeSentence(at: indexer.clock.now)
            #expect(sentence?.contains(" it gets \(left) s more to find it") == true, "\(sentence ?? "")")
        }
        let lines = logs.events.filter { $0.level >= .warning }
        #expect(lines.map(\.message) == ["indexer.chain.node_awaited"])
        #expect(lines.first?.metadata["seconds_left"] == "60")
        indexer.clock.now = epoch + UnknownCursorWait.patience
        await indexer.processor.catchUp()
        let messages = logs.events.filter { $0.level >= .warning }.map(\.message)
        #expect(messages == ["indexer.chain.node_awaited", "indexer.chain.read_again"])
        #expect(indexer.processor.status.nodeSentence(at: indexer.clock.now) == nil)
    }

    @Test("a trouble that lasts is a line when it begins, when it changes and when it ends")
    func logged() async throws {
        let logs = RecordedLogs()
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1)])], logger: logs.logger)
        let failures = Array(repeating: "busy", count: 30) + Array(repeating: "broken", count: 30)
        indexer.node.change { node in node.scripted = failures.map { .failure(NodeError(.rejected, $0)) } }
        for _ in failures { await indexer.processor.catchUp() }
        let told = logs.texts(of: "indexer.chain.node_failed")
        #expect(told.count == 2 && told.first == "indexer.chain.node_failed error.message=rejected: busy")
        #expect(told.last?.contains("error.message=rejected: broken log.held_back=29 ") == true, "\(told)")
        #expect(logs.texts(of: "indexer.chain.node_recovered").isEmpty)
        await indexer.processor.catchUp()
        let ended = logs.texts(of: "indexer.chain.node_recovered")
        #expect(ended.count == 1 && ended.first?.contains("log.held_back=29") == true, "\(ended)")
        await indexer.processor.catchUp()
        #expect(logs.texts(of: "indexer.chain.node_recovered").count == 1)
    }

    @Test("a node that comes up to the cursor has its own time from then on", arguments: [-1, 0])
    func comesUp(excess: Int) async throws {
        let chain = emptyChain(0..<4)
        let indexer = try await TestIndexer(chain)
        await indexer.processor.catchUp()
        indexer.node.change {
            $0.chain = Array(chain.dropLast())
            $0.aboveSink = 9
        }
        await indexer.processor.catchUp()
        let risen = epoch + UnknownCursorWait.patience + 1_000
        indexer.clock.now = risen
        indexer.node.change { $0.aboveSink = 10 }
        await indexer.processor.catchUp()
        #expect(indexer.status.unknownCursorWait?.since == risen)
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(3))
        indexer.clock.now = UInt64(Int(risen + UnknownCursorWait.patience) + excess)
        await indexer.processor.catchUp()
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(excess < 0 ? 3 : 2))
    }

    @Test("which nodes have pruned a block, and how long the others are waited for")
    func nodesWithoutCursor() throws {
        let others: [(NodeReport.State, UInt64)] = [
            (.left, NodesWithoutCursor.patience), (.untried, NodesWithoutCursor.patience),
            (.standby, NodesWithoutCursor.longestPatience),
        ]
        for (state, patience) in others {
            let nodes = [
                NodeReport(url: "a", state: .followed, reason: nil), NodeReport(url: "b", state: state, reason: nil),
            ]
            var cursor = NodesWithoutCursor()
            var verdicts: [Bool] = []
            for time in [0, patience - 1, patience] {
                verdicts.append(cursor.isLost(hash(1), to: "a", of: nodes, now: epoch + time))
            }
            #expect(verdicts == [false, false, true], "\(state)")
            let anew = cursor.isLost(hash(2), to: "a", of: nodes, now: epoch + patience)
            let refused = cursor.isLost(hash(2), to: "b", of: nodes, now: epoch + patience)
            #expect(!anew && refused)
        }
    }

    /// How one node is exchanged for the next.
    enum Change: CaseIterable {
        case noNode, notConnected, brokenConnection, otherNode
    }

    @Test("each node that does not know the cursor gets its own time", arguments: Change.allCases)
    func ownTime(change: Change) async throws {
        let indexer = try await TestIndexer(emptyChain(0..<4))
        await indexer.processor.catchUp()
        indexer.node.change {
            $0.chain = emptyChain(0..<3)
            $0.aboveSink = 100
        }
        await indexer.processor.catchUp()
        #expect(indexer.status.unknownCursorWait?.since == epoch)
        indexer.clock.now += UnknownCursorWait.patience - 1
        switch change {
        case .noNode:
            indexer.node.change { $0.isConnected = false }
            await indexer.processor.catchUp()
            indexer.node.change { $0.isConnected = true }
        case .notConnected, .brokenConnection:
            let code: NodeError.Code = change == .notConnected ? .notConnected : .transport
            indexer.node.change { $0.scripted = [.failure(NodeError(code, "gone"))] }
            await indexer.processor.catchUp()
        case .otherNode:
            indexer.node.change { $0.url = "http://second" }
        }
        if change != .otherNode { #expect(indexer.status.unknownCursorWait == nil) }
        indexer.clock.now += 1
        let since = indexer.clock.now
        await indexer.processor.catchUp()
        #expect(indexer.status.unknownCursorWait?.since == since)
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(3))
        indexer.clock.now += UnknownCursorWait.patience
        await indexer.processor.catchUp()
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(2))
    }

    @Test(
        "failures of the node are visible until an answer comes",
        arguments: [
            NodeError.Code.syncing, .timeout, .rejected, .malformedAnswer, .transport, .busy,
        ])
    func failures(code: NodeError.Code) async throws {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1)])])
        indexer.node.change {
            $0.scripted = [.failure(NodeError(code, "transitional ibd state")), .failure(NodeError(code, "still"))]
        }
        await indexer.processor.catchUp()
        #expect(indexer.status.nodeTrouble == "transitional ibd state")
        await indexer.processor.catchUp()
        #expect(indexer.status.nodeTrouble == "still")
        #expect(try await indexer.events().isEmpty && indexer.status.gaps == 0)
        await indexer.processor.catchUp()
        #expect(indexer.status.nodeTrouble == nil)
        #expect(try await indexer.events() == [1])
    }

    @Test("a lost connection is the connection's to report, and a node that is not there is not asked")
    func notConnected() async throws {
        let indexer = try await TestIndexer(emptyChain(0..<2))
        indexer.node.change { $0.scripted = [.failure(NodeError(.notConnected, "gone"))] }
        await indexer.processor.catchUp()
        #expect(indexer.status.nodeTrouble == nil)
        indexer.node.change { $0.isConnected = false }
        let asked = indexer.node.now.asked.count
        await indexer.processor.catchUp()
        #expect(indexer.node.now.asked.count == asked)
    }

    @Test("a first start that fails begins anew")
    func failedStart() async throws {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1)])])
        indexer.node.change { $0.dagInfoError = NodeError(.timeout, "slow") }
        await indexer.processor.catchUp()
        #expect(try await indexer.store.history.cursor() == nil)
        #expect(indexer.status.nodeTrouble == "slow")
        indexer.node.change { $0.dagInfoError = nil }
        await indexer.processor.catchUp()
        #expect(try await indexer.events() == [1])
    }

    @Test("a store that cannot be written is visible until it can, and nothing is skipped")
    func storeTrouble() async throws {
        let indexer = try await TestIndexer([
            chainBlock(0), chainBlock(1, [message(1), message(2)]), chainBlock(2, [message(3)]),
        ])
        let damaged = hash(2, tag: 0x77).bytes
        try await indexer.store.write { (transaction) throws(StoreError) in
            transaction.put(.operations, damaged, [0xFF])
        }
        for _ in 0..<2 {
            await indexer.processor.catchUp()
            #expect(indexer.status.storeTrouble?.contains("damaged") == true)
            #expect(indexer.status.nodeTrouble == nil)
        }
        #expect(try await indexer.operation(1) == nil, "all of a step or nothing")
        #expect(try await indexer.events().isEmpty, "all of a step or nothing")
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(0))
        try await indexer.store.write { (transaction) throws(StoreError) in transaction.delete(.operations, damaged) }
        await indexer.processor.catchUp()
        #expect(indexer.status.storeTrouble == nil)
        #expect(try await indexer.events() == [1, 2, 3])
    }

    @Test("what the store says itself is over when the store says so, though the node gives no good answer")
    func storeTroubleDuringNodeTrouble() async throws {
        let free = Atomic<UInt64>(.max)
        var limits = StoreLimits()
        limits.minimumFreeBytes = 1_000
        let indexer = try await TestIndexer(
            [chainBlock(0), chainBlock(1, [message(1)])], limits: limits,
            conditions: StoreConditions(freeBytes: { _ in free.load(ordering: .relaxed) }))
        free.store(999, ordering: .relaxed)
        await indexer.processor.catchUp()
        #expect(indexer.store.trouble?.code == .lowSpace)
        indexer.node.change { $0.dagInfoError = NodeError(.timeout, "slow") }
        free.store(1_000, ordering: .relaxed)
        await indexer.processor.catchUp()
        #expect(indexer.store.trouble == nil && indexer.status.storeTrouble == nil)
        #expect(indexer.status.nodeTrouble == "slow")
    }
}
