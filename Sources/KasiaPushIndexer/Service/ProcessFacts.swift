import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What Linux says about this process; nil elsewhere.
enum ProcessFacts {
    /// Open file descriptors, but for the one that counts them.
    static func openFiles() -> Int? {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { max(0, $0.count - 1) }
    }

    /// Bytes of memory that are in use and not swapped out.
    static func residentBytes() -> UInt64? {
        guard let text = try? SmallFile.text(at: "/proc/self/statm", limit: 4_096) else { return nil }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { UInt64($0) }
        return pages.map { $0 * UInt64(max(1, sysconf(CInt(_SC_PAGESIZE)))) }
    }
}
