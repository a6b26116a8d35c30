import Foundation

/// Processor time, user and system together, in seconds.
enum CPUTime {
    /// Of this process.
    static var own: Double { usage(0) }

    /// Of the child processes that have ended.
    static var children: Double { usage(-1) }

    /// Of the present threads of another process, to the nanosecond; 0 if it does not run.
    static func of(process: Int32) -> Double {
        let folder = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        // The file has three numbers: the time on the processor, the time waiting for it, and how often it had it.
        let nanoseconds = threads.compactMap { thread in
            (try? String(contentsOfFile: "\(folder)/\(thread)/schedstat", encoding: .utf8))?
                .split(separator: " ").first.flatMap { Double($0) }
        }
        return nanoseconds.reduce(0, +) / 1e9
    }

    /// Of a process that runs and of its children that have ended.
    static func withEndedChildren(of process: Int32) -> Double {
        guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            // The program's name, in parentheses, may hold spaces.
            let end = line.lastIndex(of: ")")
        else { return 0 }
        let values = line[line.index(after: end)...].split(separator: " ")
        // User and system, then the same of its children.
        let fields = 11...14
        guard values.count > fields.upperBound else { return 0 }
        return values[fields].compactMap { Double($0) }.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private static func usage(_ who: Int32) -> Double {
        var usage = rusage()
        getrusage(who, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
