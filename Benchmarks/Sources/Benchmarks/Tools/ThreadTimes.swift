import Foundation

/// Processor time of this process by what its threads do, in seconds, as the kernel's scheduler counts it.
struct ThreadTimes {
    /// The client's threads, one for each connection, the busiest first.
    private(set) var connections: [Double] = []
    /// Swift's pool, where the dispatcher's loop runs.
    private(set) var pool = 0.0
    /// The threads of serial queues, of which the store's writer is one.
    private(set) var queues = 0.0

    /// What they have done between two looks; nothing is known of threads that ended meanwhile.
    init(from earlier: Look, to later: Look) {
        for (id, thread) in later.threads {
            let seconds = thread.seconds - (earlier.threads[id]?.seconds ?? 0)
            if thread.name.hasPrefix("apns-") {
                connections.append(seconds)
            } else if thread.name.contains("overcommit") {
                queues += seconds
            } else if thread.name.contains("default-qos") {
                pool += seconds
            }
        }
        connections.sort(by: >)
    }

    /// Of the one that would be the bound if each had a core of its own.
    var busiest: Double { max(connections.first ?? 0, pool, queues) }

    var total: Double { connections.reduce(0, +) + pool + queues }

    /// All threads at one moment.
    struct Look {
        fileprivate struct Thread {
            let name: String
            let seconds: Double
        }

        fileprivate let threads: [String: Thread]

        static var now: Look {
            let ids = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
            let threads = ids.compactMap { id -> (String, Thread)? in
                // A thread may end meanwhile.
                guard let name = try? String(contentsOfFile: "/proc/self/task/\(id)/comm", encoding: .utf8),
                    let line = try? String(contentsOfFile: "/proc/self/task/\(id)/schedstat", encoding: .utf8),
                    let nanoseconds = line.split(separator: " ").first.flatMap({ Double($0) })
                else { return nil }
                return (id, Thread(name: name, seconds: nanoseconds / 1e9))
            }
            return Look(threads: Dictionary(threads) { first, _ in first })
        }
    }
}
