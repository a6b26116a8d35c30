import Foundation
import Kaspa

/// What the generator says of an operation: a line of `kaspad-replay generate --operations`.
struct DayOperation {
    let id: String
    let kind: String
    let sender: Address
    let receiver: Address?
    /// Whether the virtual chain has it at the end of the day.
    let isAccepted: Bool
    /// Whether it ever had it.
    let wasAccepted: Bool

    static func read(_ path: String) throws -> [DayOperation] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return try text.utf8.split(separator: UInt8(ascii: "\n")).dropFirst().map { line in
            let fields = line.split(separator: UInt8(ascii: "\t")).map { String(decoding: $0, as: UTF8.self) }
            guard fields.count == 6, let sender = try? Address(parsing: fields[2]) else {
                throw BenchmarkError("kaspad-replay wrote an operation that cannot be read.")
            }
            return DayOperation(
                id: fields[0], kind: fields[1], sender: sender, receiver: try? Address(parsing: fields[3]),
                isAccepted: fields[4] != "-", wasAccepted: fields[5] != "0")
        }
    }
}
