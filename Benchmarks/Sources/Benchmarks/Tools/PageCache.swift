import Foundation

/// The system's memory of files.
enum PageCache {
    /// Makes the system forget the files in a folder; what is not on the disk yet goes there first.
    static func drop(_ folder: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let descriptor = open(folder + "/" + name, O_RDONLY)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            guard fdatasync(descriptor) == 0, posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0 else {
                throw BenchmarkError("The system keeps \(name) in memory.")
            }
        }
    }
}
