import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Whose a file is.
///
/// A command that root runs makes files of root's in the store, which the service, under a user of its own, could not
/// use: they are given to whom the store belongs.
struct FileOwner: Equatable, Sendable {
    let user: UInt32
    let group: UInt32

    init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }

    /// The owner of what is at `path`, a link followed; nil if nothing is there.
    init?(of path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        self.init(user: information.st_uid, group: information.st_gid)
    }

    /// Who must get what a command writes into the store at `path`; nil if it has the right owner as it is.
    ///
    /// That is the owner of the store, or where there is none, or one of root's, of the folder that it is in.
    static func ofStore(at path: String, effectiveUser: UInt32 = geteuid()) -> FileOwner? {
        guard effectiveUser == 0 else { return nil }
        let parent = URL(filePath: path).deletingLastPathComponent().path
        for place in [path, parent] {
            if let owner = FileOwner(of: place), owner.user != 0 { return owner }
        }
        return nil
    }

    /// Gives a directory, and everything in it, to this owner; links are given and not followed.
    ///
    /// Errors: `StartError` with what the system says.
    func give(_ directory: String) throws {
        try giveOne(directory)
        guard let names = FileManager.default.enumerator(atPath: directory) else { return }
        while let name = names.nextObject() as? String { try giveOne("\(directory)/\(name)") }
    }

    private func giveOne(_ path: String) throws {
        guard lchown(path, user, group) != 0 else { return }
        let code = errno
        // RocksDB removes files while it runs.
        guard code != ENOENT else { return }
        throw StartError(
            description: "\(path) cannot be given to user \(user), group \(group): \(String(cString: strerror(code)))")
    }
}
