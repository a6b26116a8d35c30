import Foundation
import Store

/// Makes copies of a store by RocksDB's checkpoint, which is consistent while the service runs.
enum Backup {
    /// Writes a copy to `directory`, which must not exist, unlike its parent.
    ///
    /// Only the owner may read it. On the store's file system it consists of hard links and takes a moment. Elsewhere
    /// the tables are copied.
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

    /// Checks that a copy written by the service is visible to the command.
    ///
    /// Errors: `StartError` if the service sees another file system. The copy is then somewhere else, or gone with the
    /// service's private `/tmp`.
    static func requireVisible(_ directory: String) throws(StartError) {
        guard !StoreFiles.arePresent(in: directory) else { return }
        throw StartError(
            description: "the service says that it wrote \(directory), but there is no copy as this command sees it: "
                + "the two see different file systems (PrivateTmp of a unit, or a container). Name a directory that "
                + "both see: with the unit one in /var/lib/kasia-push-indexer/backups, in a container one on the "
                + "store's volume, and run this command in the container")
    }

    /// The size of all files below a directory, bytes; 0 if it does not exist.
    static func bytes(in directory: String) -> UInt64 {
        guard let files = FileManager.default.enumerator(atPath: directory) else { return 0 }
        var sum: UInt64 = 0
        while files.nextObject() != nil {
            sum += files.fileAttributes?[.size] as? UInt64 ?? 0
        }
        return sum
    }
}
