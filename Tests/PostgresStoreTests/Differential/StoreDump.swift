import Kaspa

@testable import Store

/// Every row of a store in key order, by family; the watch index as what it says, since engines have other keys there.
struct StoreDump: Equatable {
    struct Row: Equatable {
        var key: [UInt8]
        var value: [UInt8]
    }

    /// Of every family but the watch index.
    var rows: [ColumnFamily: [Row]] = [:]
    /// Keys of the watch index that no registration asks for, and those that are missing.
    var wrongWatchers: Set<[UInt8]> = []
    var watchers = 0

    init(_ store: Store) throws {
        let reading = store.database.snapshot()
        for family in ColumnFamily.allCases where family != .watchers {
            rows[family] = try reading.list(
                family, from: [], below: KeyBytes.successor(ofPrefix: []), limit: .max
            ) { Row(key: Array($0.key), value: Array($0.value)) }
        }
        var expected: Set<[UInt8]> = []
        for row in rows[.devices, default: []] {
            let device = try DeviceRecord(encoded: row.value, network: store.network)
            expected.formUnion(device.watchKeys.map { reading.watchIndexKey($0) + device.id.bytes })
        }
        var found: Set<[UInt8]> = []
        try reading.scan(.watchers, prefix: []) { row in
            found.insert(Array(row.key))
            return true
        }
        wrongWatchers = found.symmetricDifference(expected)
        watchers = found.count
    }

    var count: Int { rows.values.reduce(watchers) { $0 + $1.count } }

    /// Families without a row.
    var emptyFamilies: [ColumnFamily] {
        ColumnFamily.allCases.filter { $0 == .watchers ? watchers == 0 : rows[$0, default: []].isEmpty }
    }

    /// What differs, for a failure's message.
    func differences(from other: StoreDump) -> [String] {
        var differences = ColumnFamily.allCases.filter { rows[$0] != other.rows[$0] }.map { family in
            let (mine, others) = (rows[family, default: []], other.rows[family, default: []])
            let only = (mine.filter { !others.contains($0) } + others.filter { !mine.contains($0) }).prefix(4)
            let text = only.map { "\(Hex.encode($0.key)) = \(Hex.encode($0.value))" }.joined(separator: ", ")
            return "\(family.rawValue) (\(mine.count) and \(others.count) rows): \(text)"
        }
        if watchers != other.watchers { differences.append("watchers: \(watchers) and \(other.watchers)") }
        for (dump, which) in [(self, "first"), (other, "second")] where !dump.wrongWatchers.isEmpty {
            differences.append(
                "watchers of the \(which): \(dump.wrongWatchers.count) entries are not the registrations'")
        }
        return differences
    }
}
