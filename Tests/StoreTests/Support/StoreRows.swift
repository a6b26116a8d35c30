import Foundation
import Kaspa

@testable import Store

/// A store's rows as text, one a line: the family, the key and the value in hex, `-` for an empty value.
enum StoreRows {
    static let fixture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/store-v1.rows")

    static func text(_ dump: StoreDump) -> String {
        var lines: [String] = []
        for family in ColumnFamily.allCases {
            for key in dump.keys(family) {
                let value = dump[family][key] ?? []
                lines.append("\(family.rawValue) \(Hex.encode(key)) \(value.isEmpty ? "-" : Hex.encode(value))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    static func dump(_ text: String) throws -> StoreDump {
        var dump = StoreDump()
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count == 3, let family = ColumnFamily(rawValue: String(fields[0])),
                let key = Hex.decode(String(fields[1])),
                let value = fields[2] == "-" ? [] : Hex.decode(String(fields[2]))
            else { throw CocoaError(.fileReadCorruptFile) }
            dump.rows[family, default: [:]][key] = value
        }
        return dump
    }

    /// What version 1 wrote of `StoreHistory`.
    static func versionOne() throws -> StoreDump { try dump(String(contentsOf: fixture, encoding: .utf8)) }

    /// Writes the rows into a new directory as they are.
    static func write(_ dump: StoreDump, to path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let transaction = WriteTransaction(try Database(path: path))
        for (family, rows) in dump.rows {
            for (key, value) in rows { transaction.put(family, key, value) }
        }
        try transaction.commit(synced: true)
    }
}
