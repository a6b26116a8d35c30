import Foundation
import Kaspa

@testable import Store

/// A store as schema version 1 wrote it: the rows of `Tests/Fixtures/store-v1.rows` as they are.
enum VersionOneStore {
    /// Writes it into the directory `path`, which must not exist.
    static func write(to path: String) throws {
        let text = try String(contentsOf: Fixture.folder.appendingPathComponent("store-v1.rows"), encoding: .utf8)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let database = try Database(path: path)
        let transaction = WriteTransaction(database)
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ").map(String.init)
            // The table of device keys, which this version does not make any more: their counters begin at 0.
            if fields.first.flatMap(DroppedFamily.init) != nil { continue }
            guard fields.count == 3, let family = ColumnFamily(rawValue: fields[0]), let key = Hex.decode(fields[1]),
                let value = fields[2] == "-" ? [] : Hex.decode(fields[2])
            else { throw CocoaError(.fileReadCorruptFile) }
            transaction.put(family, key, value)
        }
        try database.commit(transaction, synced: true)
    }
}
