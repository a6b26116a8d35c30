/// What the same work took on each engine.
struct EngineFigures {
    private var figures: [EngineName: SendFigures] = [:]

    /// Does `work` on each engine in turns, and counts all but the first; `work` returns how many units it was.
    init(
        _ engines: Engines, _ repetitions: Int, _ what: String, _ work: (EngineName, Int) async throws -> Turn
    ) async throws {
        for repetition in 0...repetitions {
            for engine in EngineName.allCases {
                Terminal.progress("  \(what), turn \(repetition) of \(repetitions), \(engine.rawValue)")
                let turn = try await work(engine, repetition)
                if repetition == 0 { continue }
                figures[engine, default: SendFigures()].add(
                    turn.count, seconds: turn.seconds, sender: turn.own, server: turn.server)
            }
        }
    }

    /// One measurement: seconds, and processor seconds of the process and of the engine's server.
    struct Turn {
        var count: Int
        var seconds: Double
        var own: Double
        var server: Double

        /// Measures `work`, which is of `count` units.
        static func of(
            _ count: Int, _ engine: EngineName, _ engines: Engines, _ work: () async throws -> Void
        ) async throws -> Turn {
            let (own, server) = (CPUTime.own, engines.serverTime(engine))
            let seconds = try await Measure.seconds(work)
            return Turn(
                count: count, seconds: seconds, own: CPUTime.own - own, server: engines.serverTime(engine) - server)
        }
    }

    /// Three rows: the rate, the processor time of the process, and that of the server.
    func rows(_ what: String, _ unit: String) -> [Row] {
        guard let ours = figures[.postgres], let yardstick = figures[.rocksDB] else { return [] }
        let against = EngineName.rocksDB.rawValue
        return [
            Row("\(what), \(EngineName.postgres.rawValue)", ours.rate, "\(unit)/s", against: against, yardstick.rate),
            Row("  its processor time", ours.senderTime, "µs each", against: against, yardstick.senderTime),
            Row("  its server's", ours.serverTime, "µs each"),
        ]
    }
}
