import Foundation
import Kaspa
import Store

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Puts a backup in a store's place.
///
/// The backup is copied, not linked: RocksDB goes on writing to the files that it finds. The copy is made beside the
/// store and gets its name when it is whole, so that a restore that is cut short leaves the old store or none, never
/// half a one. Root's copy is given to whom the store belonged.
struct Restore: Sendable {
    /// Files of a directory that belong to a process and not to the data.
    private static let leftOut: Set<String> = ["LOCK", "LOG", ControlSocket.name]

    let backup: String
    let storePath: String
    let network: Network

    /// What was done.
    struct Result: Sendable {
        var bytes: UInt64
        var totals: Store.Totals
        /// Whether the service will migrate it.
        var isOlder: Bool
        /// Where the store that was there before is now.
        var replaced: String?
    }

    /// Restores; `progress` hears the bytes copied and all of them.
    ///
    /// Errors: `StartError` for a folder that is no backup; `StoreError` for a backup that is damaged or of another
    /// network, and for a store that is in use; `StartError` for a store that is there and may not be replaced, and while another restore works in the folder that
    /// it is in; what the file system says.
    func run(replacing: Bool, now: String, _ progress: (UInt64, UInt64) -> Void) async throws -> Result {
        try RestoreSource(path: backup, storePath: path).check()
        let (totals, isOlder) = try await look()
        // Before anything is made or moved.
        let owner = FileOwner.ofStore(at: path)
        let lock = try lockFolder()
        defer { close(lock) }
        let hasOld = try prepare(replacing: replacing)
        let copy = "\(path).restoring"
        // Left behind by a restore that was cut short.
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

    /// Opens the backup, and lets go of it.
    private func look() async throws(StoreError) -> (totals: Store.Totals, isOlder: Bool) {
        let store = try Store(path: backup, network: network, readOnly: true, older: .keep)
        return (try await store.totals(), store.isOlder)
    }

    /// The name, or with a number behind it the first that nothing has: two restores in one second keep both stores.
    private func freeName(_ name: String) -> String {
        func isFree(_ name: String) -> Bool { !FileManager.default.fileExists(atPath: name) }
        guard !isFree(name) else { return name }
        var number = 2
        while !isFree("\(name)-\(number)") { number += 1 }
        return "\(name)-\(number)"
    }

    /// Makes the folder that the store is in, and keeps a second restore out of it until the descriptor is closed.
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

    /// Whether a store is there that has to make room.
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
        // A store in use must not be moved away from under the service; one that is damaged, or of a newer version, is
        // what a backup is for.
        if try Store.isInUse(at: path) {
            throw StoreError(.locked, "another process has the store at \(path): stop it first")
        }
        return true
    }
}
