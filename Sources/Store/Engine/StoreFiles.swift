import Foundation

/// A store's files, and copies of them while nobody writes to them.
package enum StoreFiles {
    /// Whether there is a store in a directory, or a copy of one; it need not open.
    package static func arePresent(in directory: String) -> Bool {
        FileManager.default.fileExists(atPath: directory + "/CURRENT")
    }

    /// Makes the folder of a store, which only its owner may enter; one that is there stays as it is.
    package static func makeFolder(_ path: String) throws {
        let manager = FileManager.default
        guard !manager.fileExists(atPath: path) else { return }
        try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
        // Whatever the process's mask is: it holds device tokens.
        try manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    }

    /// Copies the files of a directory into a new one, which only the owner may read; durable on return.
    ///
    /// RocksDB's files lie side by side: what else is a folder is passed over. `progress` hears of the bytes copied so
    /// far after each file, and may throw. Returns all of them. Errors: what the file system says; what is half done
    /// stays.
    @discardableResult
    package static func copy(
        _ source: String, to directory: String, leavingOut names: Set<String> = [], _ progress: (UInt64) throws -> Void
    ) throws -> UInt64 {
        let manager = FileManager.default
        try manager.createDirectory(
            atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        var copied: UInt64 = 0
        for name in try manager.contentsOfDirectory(atPath: source).sorted() where !names.contains(name) {
            var isFolder: ObjCBool = false
            _ = manager.fileExists(atPath: "\(source)/\(name)", isDirectory: &isFolder)
            guard !isFolder.boolValue else { continue }
            let target = "\(directory)/\(name)"
            try manager.copyItem(atPath: "\(source)/\(name)", toPath: target)
            let file = try FileHandle(forUpdating: URL(filePath: target))
            try file.synchronize()
            copied += try file.seekToEnd()
            try file.close()
            try progress(copied)
        }
        synchronize(directory)
        return copied
    }

    /// Brings a folder's entries to disk, where the file system can.
    static func synchronize(_ folder: String) {
        try? FileHandle(forReadingFrom: URL(filePath: folder)).synchronize()
    }
}
