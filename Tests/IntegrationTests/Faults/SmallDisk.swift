import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// A file system of its own with little space; only root may mount one, and not in every container.
final class SmallDisk: Sendable {
    let folder: URL

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

    /// Takes all the space that is left.
    func fill() throws {
        let descriptor = open(ballast.path, O_CREAT | O_WRONLY | O_APPEND, 0o600)
        defer { close(descriptor) }
        let block = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, block, block.count) > 0 {}
    }

    /// Gives it back.
    func free() throws {
        try FileManager.default.removeItem(at: ballast)
    }

    /// Lets nothing be written any more.
    func makeReadOnly() throws {
        guard mount("tmpfs", folder.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0 else {
            throw NeverHappened(description: "remount: \(String(cString: strerror(errno)))")
        }
    }
}
