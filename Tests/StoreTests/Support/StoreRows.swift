import CRocksDB
import Foundation
import Kaspa

@testable import Store

/// A store's rows as text, one a line: the family, the key and the value in hex, `-` for an empty value.
enum StoreRows {
    static func fixture(_ version: Int) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures/store-v\(version).rows")
    }

    static func dump(_ text: String) throws -> StoreDump {
        var dump = StoreDump()
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count == 3, let key = Hex.decode(String(fields[1])),
                let value = fields[2] == "-" ? [] : Hex.decode(String(fields[2]))
            else { throw CocoaError(.fileReadCorruptFile) }
            if let family = ColumnFamily(rawValue: String(fields[0])) {
                dump.rows[family, default: [:]][key] = value
            } else if let family = DroppedFamily(rawValue: String(fields[0])) {
                dump.dropped[family, default: [:]][key] = value
            } else {
                throw CocoaError(.fileReadCorruptFile)
            }
        }
        return dump
    }

    /// What an older version wrote of `StoreHistory`.
    static func version(_ version: Int) throws -> StoreDump {
        try dump(String(contentsOf: fixture(version), encoding: .utf8))
    }

    /// Writes the rows into a new directory as they are.
    static func write(_ dump: StoreDump, to path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let database = try Database(path: path)
        let transaction = WriteTransaction(database)
        for (family, rows) in dump.rows {
            for (key, value) in rows { transaction.put(family, key, value) }
        }
        try transaction.commit(synced: true)
        for (family, rows) in dump.dropped { try write(rows, to: family, database) }
    }

    /// Makes a column family that this version does not make any more.
    private static func write(
        _ rows: [[UInt8]: [UInt8]], to family: DroppedFamily, _ database: Database
    ) throws(StoreError) {
        let options = rocksdb_options_create()
        let writeOptions = rocksdb_writeoptions_create()
        defer {
            rocksdb_writeoptions_destroy(writeOptions)
            rocksdb_options_destroy(options)
        }
        let handle = try checked("create \(family.rawValue)") {
            rocksdb_create_column_family(database.handle, options, family.rawValue, $0)
        }
        defer { rocksdb_column_family_handle_destroy(handle) }
        for (key, value) in rows {
            try checked("write to \(family.rawValue)") { error in
                key.withCharacters { keyStart, keyLength in
                    value.withCharacters {
                        rocksdb_put_cf(database.handle, writeOptions, handle, keyStart, keyLength, $0, $1, error)
                    }
                }
            }
        }
    }
}
