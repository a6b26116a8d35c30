import Foundation

/// The most memory that this process has had resident, in megabytes.
enum PeakMemory {
    /// What a piece of work takes at its peak above what was there before it, if the system tells.
    static func during(_ body: () async throws -> Void) async rethrows -> Double? {
        // Linux: the high-water mark starts again at what is resident now.
        guard let file = fopen("/proc/self/clear_refs", "w") else { return nil }
        fputs("5", file)
        fclose(file)
        let before = megabytes("VmRSS:")
        try await body()
        guard let before, let peak = megabytes("VmHWM:") else { return nil }
        return max(0, peak - before)
    }

    /// What another process has resident now.
    static func resident(of process: Int32) -> Double? { megabytes("VmRSS:", of: "\(process)") }

    /// The most that another process has had resident.
    static func most(of process: Int32) -> Double? { megabytes("VmHWM:", of: "\(process)") }

    /// The part of what is resident now that no file stands behind: heap, stacks, and what was written to private mappings.
    static func anonymous(of process: Int32) -> Double? { megabytes("RssAnon:", of: "\(process)") }

    private static func megabytes(_ name: String, of process: String = "self") -> Double? {
        let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: " ").dropLast().last.flatMap { Double($0) }.map { $0 * 1024 / 1e6 }
    }
}
