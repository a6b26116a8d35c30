import Foundation
import Kaspa
import KaspadReplay
import SwiftProtobuf
import Testing

@testable import KaspaNode

/// Against what swift-protobuf reads; `TEST_SEED` replays a run.
@Suite struct ChainEndTests {
    private static let seed =
        ProcessInfo.processInfo.environment["TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)

    private static func end(_ bytes: [UInt8]) -> ChainEnd? { bytes.withUnsafeBytes { ChainEnd($0) } }

    /// The request that is answered and the last added block, as the decoded message has them.
    private static func expected(_ message: Protowire_KaspadResponse) -> (id: UInt64, hash: BlockHash)? {
        guard case .getVirtualChainFromBlockV2Response(let answer) = message.payload,
            let hash = answer.addedChainBlockHashes.last.flatMap({ BlockHash($0) })
        else { return nil }
        return (message.id, hash)
    }

    @Test("An answer as a node writes it ends where its last added block is; nothing else has an end")
    func plain() throws {
        var ends = 0
        for index in 0..<500 {
            var samples = SampleMessages(random: SeededRandom(seed: Self.seed &+ UInt64(index)))
            let message = samples.response()
            let end = Self.end(try message.serializedBytes())
            let expected = Self.expected(message)
            #expect(end?.hash == expected?.hash && end?.requestID == expected?.id, "TEST_SEED=\(Self.seed)")
            if end != nil { ends += 1 }
        }
        #expect(ends > 50, "TEST_SEED=\(Self.seed)")
    }

    @Test("Whatever the order and the parts of the fields: it is that end, or none is seen")
    func scrambled() throws {
        var ends = 0
        for index in 0..<500 {
            let seed = Self.seed &+ UInt64(index)
            var samples = SampleMessages(random: SeededRandom(seed: seed))
            var scrambler = WireScrambler(random: SeededRandom(seed: ~seed))
            let bytes = scrambler.scramble(try samples.response().serializedBytes())
            guard let end = Self.end(bytes), let message = try? Protowire_KaspadResponse(serializedBytes: bytes)
            else { continue }
            let expected = Self.expected(message)
            #expect(end.hash == expected?.hash && end.requestID == expected?.id, "TEST_SEED=\(Self.seed)")
            ends += 1
        }
        #expect(ends > 20, "TEST_SEED=\(Self.seed)")
    }

    @Test("Damaged and truncated messages are looked at without harm")
    func damaged() throws {
        for index in 0..<300 {
            let seed = Self.seed &+ UInt64(index)
            var samples = SampleMessages(random: SeededRandom(seed: seed))
            var scrambler = WireScrambler(random: SeededRandom(seed: ~seed))
            var message = Protowire_KaspadResponse()
            message.payload = .getVirtualChainFromBlockV2Response(samples.virtualChain())
            let bytes: [UInt8] = try message.serializedBytes()
            _ = Self.end(scrambler.damage(bytes))
            if index < 20 { for count in 0..<bytes.count { _ = Self.end(Array(bytes[..<count])) } }
        }
    }

    @Test("Without a hash that is one there is no end")
    func noHash() throws {
        for hashes in [[], ["no hash"], [String(repeating: "a", count: 63)], [String(repeating: "g", count: 64)]] {
            var message = Protowire_KaspadResponse()
            message.payload = .getVirtualChainFromBlockV2Response(.with { $0.addedChainBlockHashes = hashes })
            #expect(Self.end(try message.serializedBytes()) == nil)
        }
    }
}
