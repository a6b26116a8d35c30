import Foundation

/// The service's process at one moment.
struct DaySample {
    let hour: Double
    /// Resident memory, and that part of it which no file stands behind, megabytes.
    let resident: Double
    let anonymous: Double
    let threads: Int
    /// Open descriptors: sockets, the store's files, and others.
    let sockets: Int
    let storeFiles: Int
    let others: Int
    /// The store's directory, megabytes.
    let storeSize: Double
    /// The heap and the store's memory as the service's own gauges tell, up to 15 s old; megabytes.
    let heapUsed: Double
    let heapFreed: Double
    let unflushedWrites: Double
    let blockCache: Double
    let tables: Double
    /// Events and deliveries that wait or are on their way.
    let queue: Double

    var descriptors: Int { sockets + storeFiles + others }

    static let head =
        "hour  resident MB  anonymous MB  heap used  freed  unflushed  cache  tables  threads  descriptors (sockets, store, other)  store MB  queue"

    var line: String {
        "\(Figure.text(hour))  \(Figure.text(resident))  \(Figure.text(anonymous))  \(Figure.text(heapUsed))  "
            + "\(Figure.text(heapFreed))  \(Figure.text(unflushedWrites))  \(Figure.text(blockCache))  "
            + "\(Figure.text(tables))  \(threads)  "
            + "\(descriptors) (\(sockets), \(storeFiles), \(others))  \(Figure.text(storeSize))  \(Int(queue))"
    }

    init(hour: Double, of processes: DayProcesses) throws {
        self.hour = hour
        let process = processes.service.processID
        resident = PeakMemory.resident(of: process) ?? 0
        anonymous = PeakMemory.anonymous(of: process) ?? 0
        threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").count) ?? 0
        let folder = "/proc/\(process)/fd"
        // One that is closed in between has no target any more.
        let targets = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)
        }
        sockets = targets.count { $0.hasPrefix("socket:") }
        storeFiles = targets.count { $0.hasPrefix(processes.store) }
        others = targets.count - sockets - storeFiles
        storeSize = try FileManager.default.subpathsOfDirectory(atPath: processes.store).reduce(0.0) {
            // A compaction may take a file away in between.
            let attributes = try? FileManager.default.attributesOfItem(atPath: processes.store + "/" + $1)
            return $0 + ((attributes?[.size] as? NSNumber)?.doubleValue ?? 0) / 1e6
        }
        let metrics = ServiceMetrics(processes.http)
        func megabytes(_ name: String, _ label: String) -> Double { metrics.sum(name, with: label) / 1e6 }
        heapUsed = megabytes("kasia_heap_bytes", #"state="used""#)
        heapFreed = megabytes("kasia_heap_bytes", #"state="freed""#)
        unflushedWrites = megabytes("kasia_store_memory_bytes", #"part="unflushed_writes""#)
        blockCache = megabytes("kasia_store_memory_bytes", #"part="block_cache""#)
        tables = megabytes("kasia_store_memory_bytes", #"part="tables""#)
        queue = metrics.queue
    }
}
