import Kaspa
import Store

/// Who watches an address: asked for every accepted operation, in an index of a million entries.
struct WatchIndexBenchmark: Benchmark {
    static let name = "watch-index"
    private static let yardstick = "RocksDB's C API, one iterator reused"
    private static let longestList = 256
    private static let longestSample = Duration.seconds(2)
    private let scale: Scale

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let directory = try TemporaryDirectory()
        let population = WatchPopulation(deviceCount: scale.devices)
        let store = try Store(path: directory.file("store"), network: .mainnet)
        let registrations = try await register(population, in: store, directory)
        try await settle(store)
        // Flushed and hard-linked: both sides read the same files.
        try await store.checkpoint(to: directory.file("copy"))
        let raw = try RawWatchIndex(path: directory.file("copy"))
        let entries = try await store.totals().watchEntries
        var random = SplitMix64(seed: 3)
        let size = Figure.text(Double(entries))
        let rows = [
            registrations,
            try await row("miss", population.unwatched(scale.lookups, &random), 0, size, { store }, { raw }),
            try await row(
                "hit, 1 watcher", population.watchedOnce(scale.lookups, &random), 1, size, { store }, { raw }),
            try await row(
                "hit, 3 watchers", population.watchedThrice(scale.lookups, &random), 3, size, { store }, { raw }),
        ]
        let cold = population.watchedOnce(scale.coldLookups, &random)
        let path = directory.file("copy")
        return rows + [
            try await row(
                "hit, 1 watcher, cold", cold, 1, size,
                { try Self.cold(path) { try Store(path: $0, network: .mainnet, readOnly: true) } },
                { try Self.cold(path) { try RawWatchIndex(path: $0) } })
        ]
    }

    /// Fills the index as the registry does, one device after another.
    private func register(
        _ population: WatchPopulation, in store: Store, _ directory: TemporaryDirectory
    ) async throws -> Row {
        let raw = try RawRocksDB(path: directory.file("raw"))
        var (ours, yardstick) = (Samples(), Samples())
        let part = (scale.devices + scale.repetitions - 1) / scale.repetitions
        for start in stride(from: 0, to: scale.devices, by: part) {
            let devices = (start..<min(start + part, scale.devices)).map(population.device)
            let rows = devices.map { RawRocksDB.rows(of: $0.id, watching: $0.watchedAddresses) }
            let count = Double(devices.count)
            let seconds = try await Measure.seconds {
                for device in devices { try await store.registry.upsertDevice(device.id) { _ in device } }
            }
            ours.add(count / seconds)
            yardstick.add(count / (try Measure.seconds { for batch in rows { try raw.write(batch) } }))
        }
        try await store.sync()
        return Row(
            "register a device of 20 addresses, not synced", ours, "devices/s",
            against: "the same rows by RocksDB's C API", yardstick)
    }

    /// Waits until compactions have come to rest, so that none of them runs beside the look-ups.
    private func settle(_ store: Store) async throws {
        func diskBytes() async throws -> UInt64 {
            try await store.statistics().first { $0.family == .watchers }?.diskBytes ?? 0
        }
        var size = try await diskBytes()
        for _ in 0..<30 {
            try await Task.sleep(for: .seconds(1))
            let now = try await diskBytes()
            if now == size { return }
            size = now
        }
    }

    /// Takes turns between both sides, which are asked for before each sample.
    private func row(
        _ what: String, _ keys: [WatchKey], _ watchers: Int, _ size: String, _ store: () throws -> Store,
        _ raw: () throws -> RawWatchIndex
    ) async throws -> Row {
        let prefixes = keys.map(\.bytes)
        var sink: UInt8 = 0
        let result = try await Measure.inTurns(
            scale.repetitions,
            {
                let store = try store()
                return try await Self.rate(keys, watchers) {
                    try await store.registry.watchers($0, limit: Self.longestList).count
                }
            },
            {
                let raw = try raw()
                return try await Self.rate(prefixes, watchers) { raw.watcherCount($0, sink: &sink) }
            })
        withExtendedLifetime(sink) {}
        return Row(
            "watchers of an address, \(size) entries, \(what)", result.ours, "look-ups/s",
            against: Self.yardstick, result.yardstick)
    }

    /// Opened again, with none of the files in the system's memory.
    private static func cold<Side>(_ path: String, _ open: (String) throws -> Side) throws -> Side {
        let side = try open(path)
        try PageCache.drop(path)
        return side
    }

    /// Look-ups a second, each of which has to find `watchers`.
    ///
    /// A sample ends early when the look-ups are slow.
    private static func rate<Key>(
        _ keys: [Key], _ watchers: Int, _ count: (Key) async throws -> Int
    ) async throws -> Double {
        let start = ContinuousClock.now
        var done = 0
        var found = 0
        for key in keys {
            found += try await count(key)
            done += 1
            if done.isMultiple(of: 256), ContinuousClock.now - start > longestSample { break }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        guard found == done * watchers else {
            throw BenchmarkError("Expected \(done * watchers) watchers, found \(found).")
        }
        return Double(done) / seconds
    }
}
