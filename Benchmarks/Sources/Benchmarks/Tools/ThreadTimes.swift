import Foundation

/// Processor time of this process by what its threads do, in seconds, as the kernel's scheduler counts it.
struct ThreadTimes {
    /// The client's threads, one for each connection.
    private(set) var connections = 0.0
    /// Swift's pool, where the dispatcher's loop runs.
    private(set) var pool = 0.0
    /// The queue threads of the store's writer and of its syncs.
    private(set) var store = 0.0

    /// Of the threads that there are now; RocksDB's own are left out.
    static var now: ThreadTimes {
        var times = ThreadTimes()
        for id in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? [] {
            // A thread may end meanwhile.
            guard let name = try? String(contentsOfFile: "/proc/self/task/\(id)/comm", encoding: .utf8),
                let line = try? String(contentsOfFile: "/proc/self/task/\(id)/schedstat", encoding: .utf8),
                let nanoseconds = line.split(separator: " ").first.flatMap({ Double($0) })
            else { continue }
            // The kernel keeps a name's last or first 15 characters.
            if name.hasPrefix("apns-") {
                times.connections += nanoseconds / 1e9
            } else if name.contains("overcommit") {
                times.store += nanoseconds / 1e9
            } else if name.contains("default-qos") {
                times.pool += nanoseconds / 1e9
            }
        }
        return times
    }

    static func - (later: ThreadTimes, earlier: ThreadTimes) -> ThreadTimes {
        var times = later
        times.connections -= earlier.connections
        times.pool -= earlier.pool
        times.store -= earlier.store
        return times
    }

    /// Of the one that would be the bound if each had a core of its own.
    func busiest(connections count: Int) -> Double { max(connections / Double(count), pool, store) }
}
