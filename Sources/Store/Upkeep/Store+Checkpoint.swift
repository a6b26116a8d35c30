import Foundation

extension Store {
    /// Prefix of the folder, in the store's directory, in which a copy for another file system is prepared.
    static let stagingPrefix = "checkpoint.copying-"

    /// A consistent copy of the store in `directory`, which must not exist yet; durable on return.
    ///
    /// On the store's own file system it is made of hard links and takes a moment. For another file system the links
    /// are made beside the store's files and then copied, while everything goes on; `directory` appears with the last
    /// file. Errors: `StoreError`; what is half done is removed.
    public func checkpoint(to directory: String) async throws(StoreError) {
        guard let rocks else {
            throw StoreError(.unsupported, "this store is in a database server: back it up with the server's own means")
        }
        let parent = URL(filePath: directory).deletingLastPathComponent().path
        guard Checkpoint.mayLink(from: rocks.path, to: parent) else {
            return try await copyCheckpoint(of: rocks, to: directory)
        }
        try await write { (_) throws(StoreError) in try rocks.database.checkpoint(to: directory) }
    }

    /// Makes the copy by way of a checkpoint in the store's own directory.
    func copyCheckpoint(of rocks: RocksBackend, to directory: String) async throws(StoreError) {
        let staging = "\(rocks.path)/\(Store.stagingPrefix)\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: staging) }
        try await write { (_) throws(StoreError) in try rocks.database.checkpoint(to: staging) }
        try await Checkpoint().copy(staging, to: directory)
    }

    /// Removes what is left of a copy during which the process ended.
    static func removeStaging(in path: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names where name.hasPrefix(stagingPrefix) {
            try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
    }
}

/// Copies a checkpoint's files on a thread of its own: they may be gigabytes.
private actor Checkpoint {
    private let executor = BlockingExecutor(label: "kasia.store.checkpoint")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func copy(_ source: String, to directory: String) throws(StoreError) {
        let manager = FileManager.default
        let partial = "\(directory).partial"
        do {
            guard !manager.fileExists(atPath: directory) else {
                throw CocoaError(.fileWriteFileExists, userInfo: [NSFilePathErrorKey: directory])
            }
            // Left behind by a copy that was cut short.
            try? manager.removeItem(atPath: partial)
            try StoreFiles.copy(source, to: partial) { _ in try Task.checkCancellation() }
            try manager.moveItem(atPath: partial, toPath: directory)
            StoreFiles.synchronize(URL(filePath: directory).deletingLastPathComponent().path)
        } catch {
            try? manager.removeItem(atPath: partial)
            throw StoreError(.inputOutput, "cannot copy the store to \(directory): \(error.localizedDescription)")
        }
    }

    /// Whether the store's files can be linked into a folder: tried, as one file system may be mounted twice, and links
    /// between the two are refused.
    static func mayLink(from path: String, to folder: String) -> Bool {
        let probe = "\(folder)/.kasia-link-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: probe) }
        return (try? FileManager.default.linkItem(atPath: path + "/IDENTITY", toPath: probe)) != nil
    }
}
