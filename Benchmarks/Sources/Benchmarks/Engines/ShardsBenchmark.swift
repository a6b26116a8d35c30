import Clocks
import Foundation
import Kaspa
import PostgresStore
import Store

/// The outbox of a store in PostgreSQL that is shared out, each shard with a process of its own.
struct ShardsBenchmark: Benchmark {
    static let name = "shards"
    private static let counts = [1, 2, 4]
    private static let deliveriesPerDevice = 5
    private let scale: Scale

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let engines = try Engines()
        let count = scale.notifications
        let devices = max(1, count / Self.deliveriesPerDevice)
        var figures: [Int: SendFigures] = [:]
        for processes in Self.counts {
            try await use(engines, processes) { store, shards in
                _ = try await Backlog(store: store, shards: shards, deviceCount: devices)
            }
        }
        for repetition in 0...scale.repetitions {
            for processes in Self.counts {
                Terminal.progress("  \(processes) processes, turn \(repetition) of \(scale.repetitions)")
                try await use(engines, processes) { store, shards in
                    try await Backlog(again: store, shards: shards, deviceCount: devices)
                        .queue(count, round: repetition, now: MachineClock.system.wall())
                }
                let turn = try drain(engines, processes)
                guard turn.count == count else { throw BenchmarkError("\(turn.count) of \(count) were taken.") }
                if repetition == 0 { continue }
                figures[processes, default: SendFigures()].add(
                    turn.count, seconds: turn.seconds, sender: turn.own, server: turn.server)
            }
        }
        guard let one = figures[1] else { return [] }
        return Self.counts.flatMap { processes -> [Row] in
            guard let these = figures[processes] else { return [] }
            let what =
                "take and settle a backlog of \(Figure.text(Double(count))), nothing sent, processes: \(processes)"
            guard processes > 1 else {
                return [
                    Row(what, these.rate, "deliveries/s"), Row("  its processor time", these.senderTime, "µs each"),
                    Row("  its server's", these.serverTime, "µs each"),
                ]
            }
            return [
                Row(what, these.rate, "deliveries/s", against: "one process", one.rate),
                Row("  their processor time", these.senderTime, "µs each", against: "one process", one.senderTime),
                Row("  their server's", these.serverTime, "µs each", against: "one process", one.serverTime),
            ]
        }
    }

    /// Opens a store with so many shards, and all of them, until `body` returns.
    private func use(
        _ engines: Engines, _ count: Int, _ body: (Store, [StoreShard]) async throws -> Void
    ) async throws {
        let location = PostgresStore.Location(url: try engines.url("shards_\(count)"))
        var closings: [StoreClosing] = []
        do {
            let store = try PostgresStore.open(location, network: .mainnet, shards: count)
            let shards = try (1..<count).map {
                try PostgresStore.openShard($0, of: count, location, network: .mainnet)
            }
            closings = [store.closing] + shards.map(\.store.closing)
            try await body(store, shards)
        }
        for closing in closings where await !closing.wait(atMost: .seconds(10)) {
            throw BenchmarkError("A store is not closed.")
        }
    }

    /// Has a process for each shard take and settle all that waits there, all at once.
    private func drain(_ engines: Engines, _ count: Int) throws -> EngineFigures.Turn {
        let url = try engines.url("shards_\(count)")
        let children = try (0..<count).map { try Drain(url, shard: $0, of: count) }
        let waiting = try children.map { try $0.ready() }.reduce(0, +)
        let served = engines.serverTime(.postgres)
        let begin = ContinuousClock.now
        for child in children { child.go() }
        let own = try children.map { try $0.finished() }.reduce(0, +)
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        return EngineFigures.Turn(
            count: waiting, seconds: seconds, own: own, server: engines.serverTime(.postgres) - served)
    }
}

/// A child process that works on one shard.
private final class Drain {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ url: String, shard: Int, of count: Int) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["drain", url, "\(shard)", "\(count)"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// How many deliveries wait, once it could begin.
    func ready() throws -> Int {
        let words = try line()
        guard words.first == DrainCommand.isReady, words.count == 2, let waiting = Int(words[1]) else {
            throw BenchmarkError("A sender is not ready: \(words)")
        }
        return waiting
    }

    func go() { input.fileHandleForWriting.write(Data("go\n".utf8)) }

    /// Its processor time, in seconds, once it is done.
    func finished() throws -> Double {
        let words = try line()
        guard words.first == "took", words.count == 2, let seconds = Double(words[1]) else {
            throw BenchmarkError("A sender did not finish: \(words)")
        }
        process.waitUntilExit()
        return seconds
    }

    private func line() throws -> [String] {
        String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            .split(whereSeparator: \.isWhitespace).map(String.init)
    }
}
