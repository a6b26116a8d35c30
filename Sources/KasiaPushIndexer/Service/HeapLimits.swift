import CAllocator
import Foundation

/// Makes glibc return freed memory to the system.
///
/// By default glibc has up to eight arenas for each processor, and an arena keeps the memory that it once needed. The
/// store's write buffers are allocated by one thread and freed by another, and blocks of its cache between them keep
/// free memory from being returned. After a day of traffic, more of the heap was free than in use
/// (`Benchmarks/RESULTS.md`, "Days of traffic").
enum HeapLimits {
    /// The number of arenas: one for each processor, within limits.
    static var arenas: Int { min(max(ProcessInfo.processInfo.activeProcessorCount, 2), 8) }

    /// The size from which blocks are mapped from the system, and returned to it, if the heap has no room, bytes.
    ///
    /// Write buffers consist of blocks of 1 MiB. Requests and answers usually need less.
    static let mappedBytes = 512 * 1024

    /// Sets the limits.
    ///
    /// Call it early, since threads keep their arena. Settings that the operator has made for glibc stay.
    static func apply(environment: [String: String] = ProcessInfo.processInfo.environment) {
        if !isSet("MALLOC_ARENA_MAX", "arena_max", environment) {
            _ = callocator_set_arenas(CInt(arenas))
        }
        if !isSet("MALLOC_MMAP_THRESHOLD_", "mmap_threshold", environment) {
            _ = callocator_set_mapped_bytes(CInt(mappedBytes))
        }
    }

    /// How often `giveBack` must be called.
    ///
    /// After thousands of deliveries have waited, free pages lie between used blocks: some 30 MB after three days of
    /// traffic (`Benchmarks/RESULTS.md`, "Days of traffic").
    static let giveBackInterval = Duration.seconds(600)

    /// Returns free pages between used blocks to the system.
    ///
    /// By itself, glibc does so only at the end of the heap. It takes milliseconds, in which other threads may wait for
    /// the heap.
    static func giveBack() { _ = callocator_give_back() }

    /// Whether the operator has set this limit, by its own variable or by the one for all settings.
    private static func isSet(_ variable: String, _ tunable: String, _ environment: [String: String]) -> Bool {
        environment[variable] != nil || environment["GLIBC_TUNABLES"]?.contains("glibc.malloc.\(tunable)=") == true
    }
}
