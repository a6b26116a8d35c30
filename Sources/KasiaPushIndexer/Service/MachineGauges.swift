import BuildInfo
import CAllocator
import Foundation
import Metrics
import ServiceLifecycle
import Store

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Measures the store's sizes and its disk, and the process's files and memory.
struct MachineGauges: Service {
    private static let interval = Duration.seconds(15)

    let store: Store
    let settings: StoreSettings

    /// nil where a server keeps the rows: of its disk this machine knows nothing, and a gauge is 0 until it is set.
    private let freeBytes: Gauge?
    private let trouble = Gauge(label: "kasia_store_trouble")
    private let stalled = Gauge(label: "kasia_store_write_stalled")
    private let openFiles = Gauge(label: "process_open_fds")
    private let fileLimit = Gauge(label: "process_max_fds")
    private let residentBytes = Gauge(label: "process_resident_memory_bytes")

    init(store: Store, settings: StoreSettings) {
        self.store = store
        self.settings = settings
        freeBytes = settings.server == nil ? Gauge(label: "kasia_store_free_bytes") : nil
    }

    func run() async throws {
        Gauge(
            label: "kasia_build_info",
            dimensions: [("version", Build.version), ("swift", Build.swift), ("revision", Build.revision)]
        ).record(1)
        Gauge(label: "kasia_store_engine", dimensions: [("engine", settings.engineName)]).record(1)
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await measure()
                try? await Task.sleep(for: MachineGauges.interval)
            }
        }
    }

    func measure() async {
        // While a database server cannot be reached there is no answer, and the gauges stay as they are.
        for family in (try? await store.statistics()) ?? [] {
            Gauge(label: "kasia_store_bytes", dimensions: [("column_family", family.family.rawValue)])
                .record(Double(family.diskBytes))
        }
        // After a question to the store, which may find out that a database server is lost.
        trouble.record(store.trouble == nil ? 0 : 1)
        let memory = store.memory
        for (part, bytes) in [
            ("unflushed_writes", memory.unflushedWrites), ("block_cache", memory.blockCache), ("tables", memory.tables),
            ("hot_rows", memory.rowCache),
        ] {
            Gauge(label: "kasia_store_memory_bytes", dimensions: [("part", part)]).record(Double(bytes))
        }
        var (used, freed): (UInt64, UInt64) = (0, 0)
        if callocator_heap(&used, &freed) {
            Gauge(label: "kasia_heap_bytes", dimensions: [("state", "used")]).record(Double(used))
            Gauge(label: "kasia_heap_bytes", dimensions: [("state", "freed")]).record(Double(freed))
        }
        stalled.record(store.isWriteStalled ? 1 : 0)
        if let freeBytes, let free = FileSpace.freeBytes(at: settings.path) { freeBytes.record(Double(free)) }
        if let count = ProcessFacts.openFiles() { openFiles.record(Double(count)) }
        if let limit = FileSpace.openFileLimit() { fileLimit.record(Double(limit)) }
        if let bytes = ProcessFacts.residentBytes() { residentBytes.record(Double(bytes)) }
    }
}

/// Facts about this process from Linux; nil elsewhere.
enum ProcessFacts {
    /// Open file descriptors, without the one used for counting.
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
