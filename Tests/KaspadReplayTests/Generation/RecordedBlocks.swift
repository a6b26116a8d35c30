import Foundation
import KaspadReplay
import Recordings
import SwiftProtobuf

/// The recorded blocks and what their maker says of them; Tests/Fixtures/README.md describes both.
struct RecordedBlocks {
    struct Expected: Decodable {
        struct Counts: Decodable {
            let entries, blocks, virtualChainEntries, chainBlocks, transactions, coinbases: Int
            let transactionsInSeveralBlocks, acceptedTransactions, reorganisations: Int
            let reorganisationsByDepth: [String: Int]
            let operations, operationsAccepted: Int
        }

        struct Wallet: Decodable {
            let name: String
            let address, privateKey, xOnly: String?
        }

        struct Operation: Decodable {
            let name, id, kind, fate: String
            let sender, receiver, alias, malformed: String?
            let amount: UInt64?
            let legacy, accepted: Bool
            let inBlocks: [String]
            let acceptingBlock, block: String?
            let acceptingDaaScore, blockTime: UInt64?
            let payload: String
        }

        let counts: Counts
        let network, startHash, sink: String
        let virtualChain: [String]
        let wallets: [Wallet]
        let operations: [Operation]
    }

    let header: Recording_RecordingHeader
    let entries: [Recording_RecordingEntry]
    let expected: Expected

    init() throws {
        let folder = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        expected = try decoder.decode(
            Expected.self, from: Data(contentsOf: folder.appending(path: "recorded-blocks.expected.json")))
        var messages = try Self.messages(Data(contentsOf: folder.appending(path: "recorded-blocks.recording")))
        header = try Recording_RecordingHeader(serializedBytes: messages.removeFirst())
        entries = try messages.map { try Recording_RecordingEntry(serializedBytes: $0) }
    }

    /// The messages of a file in which each has its length before it.
    private static func messages(_ data: Data) throws -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var rest = [UInt8](data)[...]
        while !rest.isEmpty {
            var (length, shift) = (0, 0)
            while let byte = rest.popFirst() {
                length |= Int(byte & 0x7f) << shift
                shift += 7
                if byte < 0x80 { break }
            }
            messages.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return messages
    }
}
