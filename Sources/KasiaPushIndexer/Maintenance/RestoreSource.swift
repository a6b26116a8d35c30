import Foundation
import Store

/// The folder to restore, before anything in it is opened.
struct RestoreSource: Sendable {
    let path: String
    /// The store's path.
    let storePath: String

    /// Checks that the folder is a backup.
    ///
    /// Errors: `StartError` that says what it is instead.
    func check() throws(StartError) {
        if let complaint { throw StartError(description: complaint) }
    }

    private var complaint: String? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            return "\(path) is not there: name the directory that backup wrote"
        }
        guard isFolder.boolValue else { return "\(path) is a file: name the directory that backup wrote" }
        if RestoreSource.resolved(path) == RestoreSource.resolved(storePath) {
            return "\(path) is the store itself (store.path): name the directory that backup wrote"
        }
        guard !StoreFiles.arePresent(in: path) else { return nil }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            return "\(path) cannot be read: run this as a user that may"
        }
        if names.isEmpty { return "\(path) is empty: name the directory that backup wrote" }
        // The operator may have named a folder of several backups.
        let backup = names.sorted().last { StoreFiles.arePresent(in: "\(path)/\($0)") }
        return "\(path) is no backup"
            + (backup.map { ", but holds one: did you mean \(path)/\($0)?" } ?? ": it holds no store")
    }

    private static func resolved(_ path: String) -> String {
        URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }
}
