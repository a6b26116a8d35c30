import Foundation
import Testing

@testable import Store

/// The three parts of the store own their column families: what another part needs of them, it asks by a verb.
@Suite("Parts of the store")
struct PartsTests {
    private static let families: [String: [ColumnFamily]] = [
        "History": [
            .operations, .operationLists, .accepted, .groupBindings, .transfers, .unresolved, .unresolvedTimes,
            .changes,
            .unconfirmed,
        ],
        "Registry": [.devices, .watchers, .walletDevices, .usedNonces, .releasedBindings],
        "Outbox": [
            .events, .enqueued, .enqueuedByTime, .deliveries, .deviceStates, .schedule, .deliveryLog,
            .deliveryLogByTime,
            .deadLetters, .recentFunds, .reverted, .retractions,
        ],
    ]

    /// What reads or writes rows of the family that it is given, and what says that they will be read.
    private static let verbs = [
        "get", "row", "rowInMemory", "put", "delete", "scan", "scanBackwards", "scanUncached", "list", "listBackwards",
        "first", "add", "Range",
    ]

    @Test("Each column family but meta belongs to one part")
    func complete() {
        let all = PartsTests.families.values.flatMap(\.self) + [.meta]
        #expect(all.count == ColumnFamily.allCases.count && Set(all).count == all.count)
    }

    @Test("No file of a part names a column family of another", arguments: families.keys.sorted())
    func seam(_ part: String) throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Sources/Store/\(part)")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        #expect(!files.isEmpty)
        let own = Set(PartsTests.families[part] ?? []).union([.meta])
        let foreign = ColumnFamily.allCases.filter { !own.contains($0) }
        let verbs = PartsTests.verbs.joined(separator: "|")
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            for family in foreign {
                let use = try Regex("\\b(\(verbs))\\(\\s*(family:\\s*)?\\.\(family)\\b")
                #expect(!text.contains(use), "\(file.lastPathComponent) reaches for \(family.rawValue)")
            }
        }
    }
}
