import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// A file system of its own with little space; only root may mount one, and not in every container.
final class SmallDisk: Sendable {
    let folder: URL

    /// Why a test is left out where a mount is not possible.
    static let reason: Comment = "needs root and the right to mount a tmpfs"

    /// Whether a trial mount succeeds.
    static let isPossible: Bool = {
        guard geteuid() == 0 else { return false }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kasia-disk-\(UUID().uuidString)")
        return (try? SmallDisk(at: folder, bytes: 1 << 20)) != nil
    }()

    init(at folder: URL, bytes: Int) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=\(bytes)") == 0 else {
            try? FileManager.default.removeItem(at: folder)
            throw NeverHappened(description: "mount: \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        umount2(folder.path, Int32(MNT_DETACH))
        try? FileManager.default.removeItem(at: folder)
    }

    private var ballast: URL { folder.appendingPathComponent("ballast") }

    /// Takes the space that is left but for so many bytes, to the page.
    func fill(leaving rest: UInt64 = 0) throws {
        let descriptor = open(ballast.path, O_CREAT | O_WRONLY | O_APPEND, 0o600)
        defer { close(descriptor) }
        let block = [UInt8](repeating: 1, count: 4096)
        while try free() >= rest + 4096, write(descriptor, block, block.count) > 0 {}
        // What others have written meanwhile leaves no more than a page.
        while rest == 0, write(descriptor, block, block.count) > 0 {}
    }

    private func free() throws -> UInt64 {
        var information = statvfs()
        guard statvfs(folder.path, &information) == 0 else {
            throw NeverHappened(description: "statvfs: \(String(cString: strerror(errno)))")
        }
        return UInt64(information.f_bavail) * UInt64(information.f_frsize)
    }

    /// Gives it back.
    func empty() throws {
        try FileManager.default.removeItem(at: ballast)
    }

    /// Lets nothing be written any more.
    func makeReadOnly() throws {
        guard mount("tmpfs", folder.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0 else {
            throw NeverHappened(description: "remount: \(String(cString: strerror(errno)))")
        }
    }
}
