import Foundation

/// The machine the figures are of.
struct Machine: CustomStringConvertible {
    let cores: Int
    let model: String
    /// Of the last minute, before the run: what else the machine was busy with.
    let load: String

    static var current: Machine {
        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
        let model = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last.map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let load = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8).prefix { $0 != " " }
        return Machine(
            cores: ProcessInfo.processInfo.activeProcessorCount, model: model ?? "unknown processor",
            load: load.map(String.init) ?? "unknown")
    }

    var description: String { "machine: \(cores) cores, \(model); load average before the run: \(load)" }
}
