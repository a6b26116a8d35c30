import Foundation
import Kaspa
import Store

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Replaces a store by a backup.
///
/// The backup is copied, not linked, since RocksDB writes to the files that it finds. The copy is made beside the store
/// and renamed when it is complete, so an interrupted restore leaves the old store or none, never half of one. A copy
/// made by root gets the store's owner.
struct Restore: Sendable {
    /// Files that belong to a process and not to the data.
    private static let leftOut: Set<String> = ["LOCK", "LOG", ControlSocket.name]

    let backup: String
    let storePath: String
    let network: Network

    /// The result of a restore.
    struct Result: Sendable {
        var bytes: UInt64
        var totals: Store.Totals
        /// Whether the backup is of an older version, which the service will migrate.
        var isOlder: Bool
        /// The new path of the replaced store.
        var replaced: String?
    }

    /// Restores; `progress` hears the bytes copied and all of them.
    ///
    /// Errors: `StartError` for a folder that is no backup; `StoreError` for a backup that is damaged or of another
    /// network, and for a store that is in use; `StartError` for a store that is there and may not be replaced, and
    /// while another restore works in the folder that it is in; what the file system says.
    func run(replacing: Bool, now: String, _ progress: (UInt64, UInt64) -> Void) async throws -> Result {
        try RestoreSource(path: backup, storePath: path).check()
        let (totals, isOlder) = try await look()
        // Before anything is created or moved.
        let owner = FileOwner.ofStore(at: path)
        let lock = try lockFolder()
        defer { close(lock) }
        let hasOld = try prepare(replacing: replacing)
        let copy = "\(path).restoring"
        // Left by an interrupted restore.
        try? FileManager.default.removeItem(atPath: copy)
        let all = Backup.bytes(in: backup)
        let bytes = try StoreFiles.copy(backup, to: copy, leavingOut: Restore.leftOut) { progress($0, all) }
        try owner?.give(copy)
        var replaced: String?
        if hasOld {
            let aside = freeName("\(path).replaced-\(now)")
            try FileManager.default.moveItem(atPath: path, toPath: aside)
            replaced = aside
        }
        try FileManager.default.moveItem(atPath: copy, toPath: path)
        if let replaced { try owner?.give(replaced) }
        return Result(bytes: bytes, totals: totals, isOlder: isOlder, replaced: replaced)
    }

    /// Opens the backup, reads its totals, and closes it.
    private func look() async throws(StoreError) -> (totals: Store.Totals, isOlder: Bool) {
        let store = try Store(path: backup, network: network, readOnly: true, older: .keep)
        return (try await store.totals(), store.isOlder)
    }

    /// The name, with a number if it is taken, so that two restores in one second keep both stores.
    private func freeName(_ name: String) -> String {
        func isFree(_ name: String) -> Bool { !FileManager.default.fileExists(atPath: name) }
        guard !isFree(name) else { return name }
        var number = 2
        while !isFree("\(name)-\(number)") { number += 1 }
        return "\(name)-\(number)"
    }

    /// Creates the store's folder, and locks it against a second restore until the descriptor is closed.
    private func lockFolder() throws -> CInt {
        let parent = URL(filePath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        let descriptor = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw StartError(description: "\(parent) cannot be opened: \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw StartError(description: "another restore works in \(parent): wait for its end")
        }
        return descriptor
    }

    private var path: String {
        let path = URL(filePath: storePath).standardizedFileURL.path
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// Returns whether there is a store to replace.
    private func prepare(replacing: Bool) throws -> Bool {
        let manager = FileManager.default
        guard let names = try? manager.contentsOfDirectory(atPath: path) else { return false }
        guard !names.isEmpty else {
            try manager.removeItem(atPath: path)
            return false
        }
        guard replacing else {
            throw StartError(
                description: "\(path) holds something already: --replace moves it aside, and keeps it")
        }
        // A store in use must not be moved. A corrupt one, or one of a newer version, may be replaced.
        if try Store.isInUse(at: path) {
            throw StoreError(.locked, "another process has the store at \(path): stop it first")
        }
        return true
    }
}
