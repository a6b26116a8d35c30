import Foundation

/// One group of measurements that share their preparation.
protocol Benchmark {
    /// What `--filter` looks at.
    static var name: String { get }

    init(scale: Scale)

    /// Prepares, measures and cleans up.
    ///
    /// - Throws: ``BenchmarkError`` when what was measured did not do its work; any error of the parts.
    func run() async throws -> [Row]
}

/// A measurement that would have measured something else than it says.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// How much is done.
///
/// The figures to quote come from `full`.
struct Scale: Sendable {
    /// Samples taken of each figure.
    let repetitions: Int
    /// Payloads in one pass of the classification.
    let payloads: Int
    /// Devices in the watch index, each with twenty addresses.
    var devices: Int
    /// Registrations in one sample.
    let registrations: Int
    /// Look-ups in one sample.
    let lookups: Int
    /// Look-ups in one sample with nothing in memory.
    let coldLookups: Int
    /// Notifications in one sample.
    var notifications: Int
    /// Answers about the virtual chain in one sample, of ten blocks with 300 transactions each.
    let chainAnswers: Int
    /// Answers of one block each that come at the network's pace.
    let liveAnswers: Int
    /// Blocks that the service reads over gRPC after downtime, of 150 transactions in the mean.
    let missedBlocks: Int
    /// Devices in the store that the service starts on.
    var startDevices: Int
    /// Operations in the store that is read over HTTP.
    var readOperations: Int
    /// Seconds of one sample of reading.
    let readSeconds: Int
    /// Streams open at once.
    let readers: Int
    /// How long the snapshot of `endurance` is held open.
    let snapshot: Duration
    /// The days of traffic.
    var day: DayPlan
    /// A folder that keeps the store that is read over HTTP; one that holds a store is not filled again.
    ///
    /// nil: a temporary one.
    var keptStore: String?
    /// The folder of the indexer's executables, and the recording that the replay node plays.
    var executables = Bundle.main.bundlePath
    var recording = "Tests/Fixtures/recorded-blocks.recording"

    static let full = Scale(
        repetitions: 5, payloads: 200_000, devices: 50_000, registrations: 2_048, lookups: 100_000,
        coldLookups: 5_000, notifications: 50_000, chainAnswers: 20, liveAnswers: 600, missedBlocks: 1_000,
        startDevices: 1_000_000, readOperations: 10_000_000, readSeconds: 5, readers: 1_000, snapshot: .seconds(300),
        day: .full)
    static let quick = Scale(
        repetitions: 3, payloads: 20_000, devices: 3_000, registrations: 256, lookups: 10_000, coldLookups: 500,
        notifications: 2_000, chainAnswers: 4, liveAnswers: 50, missedBlocks: 200, startDevices: 10_000,
        readOperations: 50_000, readSeconds: 1, readers: 100, snapshot: .seconds(5), day: .quick)
}
