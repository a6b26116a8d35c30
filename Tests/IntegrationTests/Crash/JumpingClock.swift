import Foundation
import KaspadReplay

/// The wall clock of a process of its own, set to another time again and again.
struct JumpingClock: Sendable {
    /// How far it is off at most each time, seconds: nothing, a little, more than the tolerated ten minutes, an hour, a
    /// day, a week, three years.
    private static let widths = [0, 60, 700, 3_600, 90_000, 700_000, 95_000_000]

    private let file: URL

    /// Keeps its time in a file in this folder.
    init(in folder: URL) { file = folder.appendingPathComponent("clock-shift-\(UUID().uuidString)") }

    /// What moves the clock; a loader that does not find it goes on without.
    static var library: URL {
        LaunchedIndexer.executable.deletingLastPathComponent().appendingPathComponent("libClockShift.so")
    }

    /// With these variables a process has this clock.
    var environment: [String: String] { environment(with: JumpingClock.library.path) }

    /// The same with a copy of the library.
    func environment(with library: String) -> [String: String] {
        ["LD_PRELOAD": library, "CLOCK_SHIFT_FILE": file.path]
    }

    /// Sets it to another time, off by so many seconds at most.
    func jump(_ random: inout SeededRandom, atMost most: Int = .max) throws {
        let widths = JumpingClock.widths.filter { $0 <= most }
        let width = widths[random.number(below: widths.count)]
        try Data("\(random.number(in: -width...width))".utf8).write(to: file, options: .atomic)
    }
}
