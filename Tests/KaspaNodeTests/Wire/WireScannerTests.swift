import Foundation
import Kaspa
import KaspaNode
import KaspadReplay
import Recordings
import SwiftProtobuf
import Testing

/// The scanner against swift-protobuf; `TEST_SEED` replays a run.
@Suite struct WireScannerTests {
    private static let filters: [any ScriptFilter] = [NothingWatched(), SampleMessages.watched, EveryScript()]
    private static let seed =
        ProcessInfo.processInfo.environment["TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)

    /// Runs `count` cases, each with a seed of its own, and stops at the first that is wrong; returns how many were
    /// messages.
    @discardableResult
    private static func cases(
        _ count: Int, _ make: (inout SampleMessages, inout WireScrambler) throws -> [UInt8]
    ) throws -> Int {
        var accepted = 0
        for index in 0..<count {
            let seed = seed &+ UInt64(index)
            var samples = SampleMessages(random: SeededRandom(seed: seed))
            var scrambler = WireScrambler(random: SeededRandom(seed: ~seed))
            let bytes = try make(&samples, &scrambler)
            for filter in filters {
                if let fault = ScanOracle.disagreement(on: bytes, filter) {
                    Issue.record("\(fault); TEST_SEED=\(seed), \(type(of: filter)), \(Hex.encode(bytes))")
                    return accepted
                }
            }
            if (try? Protowire_KaspadResponse(serializedBytes: bytes)) != nil { accepted += 1 }
        }
        return accepted
    }

    @Test("Messages as a node writes them give what swift-protobuf gives, less what is not needed")
    func plain() throws {
        #expect(try Self.cases(300) { samples, _ in try samples.response().serializedBytes() } == 300)
    }

    @Test("Fields in any order, in parts, repeated and among unknown ones mean what they mean to swift-protobuf")
    func scrambled() throws {
        let accepted = try Self.cases(1000) { samples, scrambler in
            scrambler.scramble(try samples.response().serializedBytes())
        }
        #expect(accepted > 500, "TEST_SEED=\(Self.seed)")
    }

    @Test("Damaged messages are refused exactly when swift-protobuf refuses them")
    func damaged() throws {
        let accepted = try Self.cases(1500) { samples, scrambler in
            let bytes: [UInt8] = try samples.response().serializedBytes()
            return scrambler.damage(scrambler.random.chance(0.5) ? bytes : scrambler.scramble(bytes))
        }
        #expect((100..<1400).contains(accepted), "\(accepted) of 1500 accepted, TEST_SEED=\(Self.seed)")
    }

    @Test("Several contents in one response: the last counts")
    func severalContents() throws {
        try Self.cases(200) { samples, scrambler in
            let bytes: [UInt8] = try (0..<3).flatMap { _ in try samples.response().serializedBytes() as [UInt8] }
            return scrambler.scramble(bytes)
        }
    }

    @Test("A message that ends early is refused exactly when swift-protobuf refuses it", arguments: 0..<4)
    func truncated(number: Int) throws {
        var samples = SampleMessages(random: SeededRandom(seed: Self.seed &+ UInt64(number)))
        var message = Protowire_KaspadResponse()
        message.id = 300
        if number.isMultiple(of: 2) {
            message.payload = .blockAddedNotification(.with { $0.block = samples.block() })
        } else {
            message.payload = .getVirtualChainFromBlockV2Response(samples.virtualChain())
        }
        let bytes: [UInt8] = try message.serializedBytes()
        for count in 0...bytes.count {
            let fault = ScanOracle.disagreement(on: Array(bytes[..<count]), SampleMessages.watched)
            try #require(fault == nil, "\(count) of \(bytes.count) bytes, TEST_SEED=\(Self.seed)")
        }
    }

    @Test("The recorded blocks give the same operations through both paths")
    func recordedBlocks() throws {
        let path = "\(#filePath)".replacing(
            "KaspaNodeTests/Wire/WireScannerTests.swift", with: "Fixtures/recorded-blocks.recording")
        var (kept, passedOver) = (0, 0)
        for entry in try Recording(contentsOf: path).entries {
            var message = Protowire_KaspadResponse()
            switch entry.event {
            case .block(let block): message.payload = .blockAddedNotification(.with { $0.block = block })
            case .virtualChain(let change):
                message.payload = .getVirtualChainFromBlockV2Response(
                    .with {
                        $0.removedChainBlockHashes = change.removedChainBlockHashes
                        $0.addedChainBlockHashes = change.added.map(\.chainBlockHeader.hash)
                        $0.chainBlockAcceptedTransactions = change.added
                    })
            case nil: continue
            }
            let bytes: [UInt8] = try message.serializedBytes()
            #expect(ScanOracle.disagreement(on: bytes, NothingWatched()) == nil)
            let response = try bytes.withUnsafeBytes { try WireReading.ours(watching: NothingWatched()).read($0) }
            passedOver += response.passedOverTransactionCount
            kept += try Self.compare(response, message)
        }
        #expect(kept > 100 && passedOver > 100, "\(kept) kept, \(passedOver) passed over")
    }

    /// Compares Kaspa's values; returns the number of transactions that were kept.
    private static func compare(_ response: NodeResponse, _ whole: Protowire_KaspadResponse) throws -> Int {
        switch (response.payload, whole.payload) {
        case (.blockAddedNotification(let scanned), .blockAddedNotification(let message)):
            let (block, expected) = (try Block(scanned.block), try Block(message.block))
            #expect(block.header == expected.header)
            #expect(block.transactions == expected.transactions.filter(isOurs))
            #expect(block.transactionCount + response.passedOverTransactionCount == expected.transactionCount)
            return block.transactions.count
        case (.getVirtualChainFromBlockV2Response(let scanned), .getVirtualChainFromBlockV2Response(let message)):
            let (update, expected) = (try #require(try response.virtualChainUpdate()), try VirtualChainUpdate(message))
            #expect(try VirtualChainUpdate(scanned).added == update.added)
            #expect(update.removed == expected.removed)
            #expect(update.added.map(\.header) == expected.added.map(\.header))
            #expect(update.added.map(\.transactions) == expected.added.map { $0.transactions.filter(isOurs) })
            #expect(update.transactionCount == expected.transactionCount)
            return update.transactionCount - response.passedOverTransactionCount
        default:
            Issue.record("another content")
            return 0
        }
    }

    private static func isOurs(_ transaction: Transaction) -> Bool {
        ScanOracle.isOurs(Hex.encode(transaction.payload))
    }
}
