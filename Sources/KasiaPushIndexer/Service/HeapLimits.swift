import CAllocator
import Foundation

/// Keeps freed memory from staying with the process.
///
/// By default glibc gives each thread its own part of the heap, up to eight for each processor. What a part has once
/// needed it keeps: the store's buffers for writes are filled by one thread and let go by another, and the blocks of
/// its cache between them hold on to what is free around them. A day of traffic left more memory free in the heap than
/// in use (`Benchmarks/RESULTS.md`, "Days of traffic").
enum HeapLimits {
    /// Parts of the heap: as many as can be at work at the same time, within bounds.
    static var arenas: Int { min(max(ProcessInfo.processInfo.activeProcessorCount, 2), 8) }

    /// Blocks of so many bytes or more for which the heap has no room come from the system and go back to it.
    ///
    /// The buffers for writes are made of blocks of 1 MiB; what requests and answers need is smaller as a rule.
    static let mappedBytes = 512 * 1024

    /// To be called early: threads keep the part of the heap that they have.
    ///
    /// What the operator has set for glibc stays.
    static func apply(environment: [String: String] = ProcessInfo.processInfo.environment) {
        if !isSet("MALLOC_ARENA_MAX", "arena_max", environment) {
            _ = callocator_set_arenas(CInt(arenas))
        }
        if !isSet("MALLOC_MMAP_THRESHOLD_", "mmap_threshold", environment) {
            _ = callocator_set_mapped_bytes(CInt(mappedBytes))
        }
    }

    /// How often `giveBack` is to be called.
    ///
    /// After a time in which thousands waited, free pages lie between blocks in use: some 30 MB after three days of
    /// traffic (`Benchmarks/RESULTS.md`, "Days of traffic").
    static let giveBackInterval = Duration.seconds(600)

    /// Gives freed pages between blocks in use back to the system; glibc by itself only does so at the heap's end.
    ///
    /// Takes milliseconds, in which other threads may wait for the heap.
    static func giveBack() { _ = callocator_give_back() }

    /// Whether glibc has been told by its own variable, or by the one for all its settings.
    private static func isSet(_ variable: String, _ tunable: String, _ environment: [String: String]) -> Bool {
        environment[variable] != nil || environment["GLIBC_TUNABLES"]?.contains("glibc.malloc.\(tunable)=") == true
    }
}
