import Foundation

extension Store {
    /// What RocksDB writes beside the contents of its logs when it opens: a manifest, a new log, an options file; with a
    /// margin.
    static let openingBytes: UInt64 = 2 << 20

    /// Throws `.lowSpace` unless there is room for what an opening writes: the logs' contents as tables, and some files.
    ///
    /// RocksDB 7.8 with its assertions on ends the process when it finds no space while it opens.
    static func checkRoomToOpen(_ path: String) throws(StoreError) {
        guard let free = StoreConditions.freeBytes(path) else { return }
        let needed = logBytes(in: path) + openingBytes
        guard free < needed else { return }
        throw StoreError(
            .lowSpace, "\(free) bytes are free on its disk, and opening the store needs \(needed): free space first")
    }

    private static func logBytes(in path: String) -> UInt64 {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return files.filter { $0.hasSuffix(".log") }.reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)
            return sum + ((attributes?[.size] as? NSNumber)?.uint64Value ?? 0)
        }
    }
}
