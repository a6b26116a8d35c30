import Foundation
import Store

/// Copies of a store: made by RocksDB's checkpoint, which is consistent while everything goes on.
enum Backup {
    /// Writes a copy into `directory`, which must not exist while its parent must; only the owner may read it.
    ///
    /// On the store's own file system it is made of hard links and takes a moment; elsewhere the tables are copied.
    static func write(_ store: Store, to directory: String) async throws {
        let parent = URL(filePath: directory).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: parent) else {
            throw StartError(description: "\(parent) is not there: make it first, writable for the service's user")
        }
        guard !FileManager.default.fileExists(atPath: directory) else {
            throw StartError(description: "\(directory) is there already: name a directory that is not")
        }
        try await store.checkpoint(to: directory)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory)
    }

    /// Makes sure that a copy which the service says it wrote is where whoever asked for it looks.
    ///
    /// Errors: the service sees another file system; its copy is somewhere else, or gone with its private `/tmp`.
    static func requireVisible(_ directory: String) throws(StartError) {
        guard !StoreFiles.arePresent(in: directory) else { return }
        throw StartError(
            description: "the service says that it wrote \(directory), but there is no copy as this command sees it: "
                + "the two see different file systems (PrivateTmp of a unit, or a container). Name a directory that "
                + "both see: with the unit one in /var/lib/kasia-push-indexer/backups, in a container one on the "
                + "store's volume, and run this command in the container")
    }

    /// The bytes of all files in a directory and below; 0 while there is none.
    static func bytes(in directory: String) -> UInt64 {
        guard let files = FileManager.default.enumerator(atPath: directory) else { return 0 }
        var sum: UInt64 = 0
        while files.nextObject() != nil {
            sum += files.fileAttributes?[.size] as? UInt64 ?? 0
        }
        return sum
    }
}
