import Foundation

// Which module `stat` counts to depends on what else the compiler has read: both are named.
#if canImport(CoreFoundation)
import CoreFoundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The owner of a file.
///
/// A command run by root creates files that the service, under a user of its own, cannot use. So they are given to the
/// store's owner.
struct FileOwner: Equatable, Sendable {
    let user: UInt32
    let group: UInt32

    init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }

    /// The owner of the file at `path`, following links; nil if there is none.
    init?(of path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        self.init(user: information.st_uid, group: information.st_gid)
    }

    /// The owner of an open file; nil if unknown.
    init?(descriptor: CInt) {
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { return nil }
        self.init(user: information.st_uid, group: information.st_gid)
    }

    /// The owner that a command's files in the store at `path` must get; nil if they have the right one.
    ///
    /// It is the store's owner. If there is no store, or it belongs to root, it is the owner of its folder.
    static func ofStore(at path: String, effectiveUser: UInt32 = geteuid()) -> FileOwner? {
        guard effectiveUser == 0 else { return nil }
        let parent = URL(filePath: path).deletingLastPathComponent().path
        for place in [path, parent] {
            if let owner = FileOwner(of: place), owner.user != 0 { return owner }
        }
        return nil
    }

    /// Changes the owner of a directory and everything in it.
    ///
    /// Links are changed themselves, and not followed. It uses descriptors. So the service's user, who may write here,
    /// cannot redirect it by replacing a directory with a symbolic link. Errors: `StartError` with the system's
    /// message, also for a directory that is a link.
    func give(_ directory: String) throws {
        let descriptor = open(directory, FileOwner.directoryFlags)
        guard descriptor >= 0 else {
            let code = errno
            guard code != ENOENT else { return }
            throw refusal(directory, FileOwner.isLink(directory) ? "it is a link" : FileOwner.text(of: code))
        }
        try giveAll(in: descriptor, directory)
    }

    private static let directoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC

    /// Closes the descriptor.
    private func giveAll(in descriptor: CInt, _ path: String) throws {
        guard let entries = fdopendir(descriptor) else {
            let code = errno
            close(descriptor)
            throw refusal(path, FileOwner.text(of: code))
        }
        defer { closedir(entries) }
        guard fchown(descriptor, user, group) == 0 else { throw refusal(path, FileOwner.text(of: errno)) }
        while true {
            errno = 0
            guard let entry = readdir(entries) else {
                let code = errno
                guard code == 0 else { throw refusal(path, FileOwner.text(of: code)) }
                return
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { try giveEntry(name, of: descriptor, path) }
        }
    }

    private func giveEntry(_ name: String, of directory: CInt, _ path: String) throws {
        let inner = openat(directory, name, FileOwner.directoryFlags)
        guard inner < 0 else { return try giveAll(in: inner, "\(path)/\(name)") }
        var code = errno
        if code == ENOTDIR || code == ELOOP {
            code = fchownat(directory, name, user, group, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno
        }
        // RocksDB removes files while it runs.
        guard code == 0 || code == ENOENT else { throw refusal("\(path)/\(name)", FileOwner.text(of: code)) }
    }

    private func refusal(_ path: String, _ reason: String) -> StartError {
        StartError(description: "\(path) cannot be given to user \(user), group \(group): \(reason)")
    }

    private static func text(of code: CInt) -> String { String(cString: strerror(code)) }

    private static func isLink(_ path: String) -> Bool {
        var information = stat()
        return lstat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFLNK
    }
}
