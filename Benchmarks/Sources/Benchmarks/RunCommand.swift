import ArgumentParser

/// Runs benchmarks and prints one table.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the benchmarks and print one table.",
        discussion: "Groups: \(RunCommand.groups.map { $0.name }.joined(separator: ", ")).")

    @Option(help: "Run only the groups whose name contains this text.")
    var filter: String?

    @Flag(help: "Small inputs and three repetitions: a look at the order of magnitude in under a minute.")
    var quick = false

    @Option(
        help:
            "Of the groups watch-index and engines (50000), grpc and start (a million): devices in the store; with --quick fewer."
    )
    var devices: Int?

    @Option(
        help:
            "Of the groups sends, dispatcher, carriers, engines and endurance: notifications of one sample; 50000, with --quick 2000."
    )
    var notifications: Int?

    @Option(help: "Of the group reads: operations in the store; ten million, with --quick 50000.")
    var operations: Int?

    @Option(help: "Of the group reads: a folder that keeps the store; one that holds a store is not filled again.")
    var store: String?

    @Option(help: "Of the group day: how many days of traffic, each of twelve minutes, with --quick half a minute.")
    var days = 1

    @Option(
        help: ArgumentHelp(
            "The folder with the indexer's executables; without, its own.",
            discussion: "Of the groups registrations, grpc, start, reads, streams, day and engines."))
    var executables: String?

    private static var groups: [any Benchmark.Type] {
        [
            ClassificationBenchmark.self, WatchIndexBenchmark.self, RegistrationsBenchmark.self, SendBenchmark.self,
            DispatcherBenchmark.self, CatchUpBenchmark.self, CatchUpOverGRPCBenchmark.self, ChainToWireBenchmark.self,
            CarriersBenchmark.self, EncryptionBenchmark.self, FairnessBenchmark.self, OutageBenchmark.self,
            AppLibraryBenchmark.self, HistoryBenchmark.self, StartBenchmark.self, ReadsBenchmark.self,
            StreamsBenchmark.self, DayBenchmark.self, EnginesBenchmark.self, EnduranceBenchmark.self,
            ShardsBenchmark.self,
        ]
    }

    func validate() throws {
        guard (devices ?? 1) > 0 else { throw ValidationError("--devices must be at least 1.") }
        guard (notifications ?? 1) > 0 else { throw ValidationError("--notifications must be at least 1.") }
        guard (operations ?? 1) > 0 else { throw ValidationError("--operations must be at least 1.") }
        guard days > 0 else { throw ValidationError("--days must be at least 1.") }
        guard !selected.isEmpty else {
            throw ValidationError("No group's name contains \"\(filter ?? "")\".")
        }
    }

    func run() async throws {
        var scale = quick ? Scale.quick : Scale.full
        scale.devices = devices ?? scale.devices
        scale.startDevices = devices ?? scale.startDevices
        scale.notifications = notifications ?? scale.notifications
        scale.readOperations = operations ?? scale.readOperations
        scale.day.days = days
        scale.keptStore = store
        scale.executables = executables ?? scale.executables
        let machine = Machine.current
        var table = Table()
        for group in selected {
            Terminal.progress("\(group.name) …")
            for row in try await group.init(scale: scale).run() { table.add(row) }
        }
        Terminal.write(table.text)
        Terminal.write(machine.description + (quick ? "; --quick: not figures to quote" : ""))
    }

    private var selected: [any Benchmark.Type] {
        Self.groups.filter { group in filter.map { group.name.contains($0) } ?? true }
    }
}
