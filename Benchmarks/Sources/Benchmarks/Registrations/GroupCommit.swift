import Foundation

/// The least that durability costs: what all clients have to write goes to the end of a file, then one fsync.
struct GroupCommit {
    private let descriptor: Int32
    private let group: Int

    init(_ path: String, group: Int) throws {
        descriptor = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0o600)
        guard descriptor >= 0 else { throw BenchmarkError("\(path) cannot be made.") }
        self.group = group
    }

    /// The seconds until all are on the disk; closes the file.
    func write(_ records: [Data]) throws -> Double {
        defer { close(descriptor) }
        return try Measure.seconds {
            for start in stride(from: 0, to: records.count, by: group) {
                for record in records[start..<min(start + group, records.count)] {
                    let written = record.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                    guard written == record.count else { throw BenchmarkError("The file does not take a record.") }
                }
                guard fdatasync(descriptor) == 0 else { throw BenchmarkError("The file cannot be synced.") }
            }
        }
    }
}
