import Foundation

/// A day of traffic in some minutes, with the real executables, and whether the service's process stays as large as it was.
///
/// The network is generated, with as many blocks as a chain of one block a second has in a day. Devices watch its
/// wallets; some are gone for Apple, some come and go with signed requests, streams break and resume, apps read, the
/// node hangs up, and Apple's stand-in has bad hours. What the service keeps by the clock (24 hours and more) is not
/// faster than the clock: nothing of it is removed within the run.
struct DayBenchmark: Benchmark {
    static let name = "day"
    private static let registering = Duration.seconds(120)
    private static let draining = Duration.seconds(600)
    private let scale: Scale
    private var plan: DayPlan { scale.day }

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let directory = try TemporaryDirectory()
        let operations = try generate(in: directory)
        let cast = try DayCast(operations, plan: plan)
        let processes = try await DayProcesses(
            recording: directory.file("day.recording"), in: directory, executables: scale.executables)
        defer { processes.end() }
        for device in cast.residents + cast.gone {
            guard try device.register(processes.http) else { throw BenchmarkError("A device cannot register.") }
        }
        let troubles = try DayTroubles(processes.control, cast: cast)
        try processes.startNetwork(plan)
        let traffic = try DayTraffic(cast, plan: plan, operations: operations, http: processes.http)
        var course = DayCourse()
        try await live(processes, traffic, troubles, &course)
        try await drain(processes, traffic, cast, operations, &course)
        let rows = DayReport(course, processes, traffic, cast, operations).rows
        processes.end()
        let isSound = try processes.checkStore()
        return rows + [Row("the store's books, by check", Samples([isSound ? 1 : 0]), "1: all is well")]
    }

    private func generate(in directory: TemporaryDirectory) throws -> [DayOperation] {
        let list = directory.file("operations.tsv")
        let generator = try ChildProcess(
            "kaspad-replay", in: scale.executables,
            [
                "generate", directory.file("day.recording"), "--blocks", "\(plan.blocks * plan.days)", "--wallets",
                "\(plan.wallets)", "--transactions-per-block", "\(DayPlan.transactionsPerBlock)", "--operation-share",
                "\(DayPlan.operationShare)", "--reorganisation-rate", "\(DayPlan.reorganisationRate)",
                "--block-interval", "\(plan.blockInterval)", "--operations", list,
            ])
        guard generator.finished() else { throw BenchmarkError("kaspad-replay did not generate a day.") }
        return try DayOperation.read(list)
    }

    /// The days, hour by hour.
    private func live(
        _ processes: DayProcesses, _ traffic: DayTraffic, _ troubles: DayTroubles, _ course: inout DayCourse
    ) async throws {
        var troubles = troubles
        let start = ContinuousClock.now
        Terminal.progress(DaySample.head)
        for hour in 0..<plan.hours {
            try troubles.begin(hour: hour)
            let end = start + plan.hour * (hour + 1)
            while ContinuousClock.now < end {
                guard processes.service.isRunning else { throw BenchmarkError("kasia-push-indexer has ended.") }
                try traffic.step()
                try await Task.sleep(for: .milliseconds(2))
            }
            let sample = try DaySample(hour: Double(hour + 1), of: processes)
            Terminal.progress(sample.line)
            course.samples.append(sample)
            course.journal.add(
                try processes.control.notifications(after: course.journal.lastNumber), guests: traffic.guests)
        }
    }

    /// Waits until everything is sent that must be.
    private func drain(
        _ processes: DayProcesses, _ traffic: DayTraffic, _ cast: DayCast, _ operations: [DayOperation],
        _ course: inout DayCourse
    ) async throws {
        let start = ContinuousClock.now
        while true {
            course.journal.add(
                try processes.control.notifications(after: course.journal.lastNumber), guests: traffic.guests)
            let queue = ServiceMetrics(processes.http).queue
            let verdict = course.journal.compare(cast.residents, operations)
            let isOver = queue == 0 && verdict.lost == 0
            if isOver || ContinuousClock.now - start > Self.draining { break }
            try await Task.sleep(for: .seconds(1))
        }
        course.drain = ContinuousClock.now - start
        course.missingItems = try await traffic.settle(within: .seconds(30))
        let sample = try DaySample(hour: Double(plan.hours) + course.drain / plan.hour, of: processes)
        Terminal.progress(sample.line)
        course.last = sample
    }
}

/// What was seen of the day.
struct DayCourse {
    /// One at the end of each hour.
    var samples: [DaySample] = []
    /// When all was sent.
    var last: DaySample?
    var journal = DeliveryJournal()
    var drain = Duration.zero
    /// Items that a stream which broke lacks, and the one beside it has.
    var missingItems = 0
}
