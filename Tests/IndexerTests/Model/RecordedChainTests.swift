import Clocks
import Foundation
import Kaspa
import KaspaNode
import Recordings
import StoreSupport
import Testing

@testable import Indexer
@testable import KaspadReplay
@testable import Store

/// The recorded DAG, read in every way that a service can come to read it.
@Suite("The recorded chain", .timeLimit(.minutes(20)))
struct RecordedChainTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures/recorded-blocks.recording")

    /// Every row of every family.
    private typealias Dump = [String: [[UInt8]: [UInt8]]]

    private struct Life {
        let node: ModelNode
        let entries: [Recording_RecordingEntry]
        var directory = TestDirectory()
        var store: Store
        var processor: VirtualChainProcessor
        var blocks: BlockProcessor

        init(_ recording: Recording) async throws {
            entries = recording.entries
            node = try ModelNode(recording.header, recording.entries)
            (store, processor, blocks) = try await Life.open(directory, node)
        }

        /// One clock for all lives: the times of arrival are the same.
        private static func open(
            _ directory: TestDirectory, _ node: ModelNode
        ) async throws -> (Store, VirtualChainProcessor, BlockProcessor) {
            let store = try TestStores.open(directory.path)
            let indexing = ChainIndexing(
                network: .mainnet, enqueuesEvents: true, maximumAge: .max, withdrawsUnsent: true)
            let processor = await VirtualChainProcessor(
                node: node, store: store, indexing: indexing, clock: ServiceClock(given: { epoch }),
                logger: quietLogger, onChange: {})
            return (store, processor, BlockProcessor(node: node, store: store, logger: quietLogger))
        }

        /// What a kill leaves: the store as it is at this moment, not closed, opened as if by the next process.
        mutating func kill() async throws {
            let copy = TestDirectory()
            if try await TestStores.kill(store, at: directory.path, copy: copy.path) == copy.path { directory = copy }
            (store, processor, blocks) = try await Life.open(directory, node)
        }

        func hear(_ told: Range<Int>) async throws {
            for entry in entries[told] {
                if case .block(let message) = entry.event { await blocks.process(try Block(message)) }
            }
        }

        func dump() throws -> Dump {
            var dump: Dump = [:]
            for family in ColumnFamily.allCases {
                try store.database.scan(family, prefix: []) { row in
                    dump[family.rawValue, default: [:]][Array(row.key)] = Array(row.value)
                    return true
                }
            }
            #expect(try store.checkBooks().isSound)
            return dump
        }
    }

    private func oneAnswer(_ recording: Recording) async throws -> Life {
        let life = try await Life(recording)
        try await life.hear(life.node.play(.max))
        life.node.change { $0.batch = 1_000_000 }
        #expect(try await life.processor.advance())
        #expect(try await !life.processor.advance())
        return life
    }

    private func expectEqual(_ dump: Dump, _ expected: Dump, _ what: String) {
        for family in ColumnFamily.allCases.map(\.rawValue) {
            #expect(dump[family] == expected[family], "\(what): \(family)")
        }
    }

    @Test(
        "in pieces of any size, with a kill between any two, it leaves the same rows as in one answer",
        arguments: [1, 2, 7])
    func pieces(size: Int) async throws {
        let recording = try Recording(contentsOf: Self.file.path)
        let whole = try await oneAnswer(recording).dump()
        #expect(whole["operations"]?.isEmpty == false && whole["events"]?.isEmpty == false)
        var life = try await Life(recording)
        try await life.hear(life.node.play(.max))
        life.node.change { $0.batch = size }
        var batches = 0
        while try await life.processor.advance() {
            batches += 1
            try await life.kill()
        }
        #expect(batches > 10)
        expectEqual(try life.dump(), whole, "pieces of \(size)")
    }

    @Test("live, block by block, it leaves the same state as in one answer")
    func live() async throws {
        let recording = try Recording(contentsOf: Self.file.path)
        let whole = try await oneAnswer(recording)
        let life = try await Life(recording)
        for _ in recording.entries {
            let told = life.node.play(1)
            try await life.hear(told)
            if case .virtualChain = recording.entries[told.lowerBound].event { await life.processor.catchUp() }
        }
        let (dump, expected) = (try life.dump(), try whole.dump())
        for family in ["accepted", "enqueued_by_time", "group_bindings", "unresolved", "unresolved_times"] {
            #expect(dump[family] == expected[family], "\(family)")
        }
        #expect(try await life.store.history.cursor() == whole.store.history.cursor())
        // What only the live one saw, it saw and took back: rows, but no acceptance and no event.
        #expect(Set(dump["operations"]?.keys ?? [:].keys) == Set(expected["operations"]?.keys ?? [:].keys))
        for key in (dump["operations"] ?? [:]).keys {
            let id = try #require(Hash(bytes: key))
            let (one, other) = (try await life.store.history.operation(id), try await whole.store.history.operation(id))
            #expect(one?.acceptance == other?.acceptance)
            if one?.acceptance != nil { #expect(one == other) }
        }
        let (told, tellings) = (try await events(life), try await events(whole))
        #expect(told == tellings)
        #expect(try await life.store.outbox.books().eventsWithdrawn > 0, "the recording has a reorganisation")
    }

    /// Events by transaction, without the numbers: what is withdrawn has used some up.
    private func events(_ life: Life) async throws -> [TransactionID: PushEvent] {
        var events: [TransactionID: PushEvent] = [:]
        for var event in try await life.store.outbox.events(after: 0, limit: .max) {
            event.number = 0
            events[event.transactionID] = event
        }
        return events
    }
}
