import Crypto
import Foundation
import KasiaPushClient
import KasiaPushCore
import KasiaPushSecp256k1

/// The app library: one notification in a process of its own, a long list of activity, many changes of a registration.
struct AppLibraryBenchmark: Benchmark {
    static let name = "app-library"
    private static let rows = 10_000
    private static let changes = 1_000

    private let scale: Scale

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        try notification() + (try await activity()) + (try await registration())
    }

    // MARK: One notification

    private func notification() throws -> [Row] {
        let directory = try TemporaryDirectory()
        let message = try SealedVector.first()
        let push = message.push
        var (opened, idle) = (Samples(), Samples())
        var (memory, idleMemory) = (Samples(), Samples())
        var (anonymous, idleAnonymous) = (Samples(), Samples())
        func megabytes(_ kilobytes: String) throws -> Double {
            guard let number = Double(kilobytes) else { throw BenchmarkError("\(kilobytes) is no memory.") }
            return number * 1024 / 1e6
        }
        for repetition in 0...scale.repetitions * 4 {
            let (seconds, lines) = try OpenNotificationProcess.run([
                directory.file("store.sqlite"), message.address, message.secret, push,
            ])
            guard lines.count == 3, lines[0] == message.text else {
                throw BenchmarkError("The notification was not opened: \(lines)")
            }
            let (idleSeconds, idleLines) = try OpenNotificationProcess.run([])
            guard idleLines.count == 2 else { throw BenchmarkError("The process does not say what it took.") }
            // The first turn reads the files from the disk, and makes the store.
            guard repetition > 0 else { continue }
            opened.add(seconds * 1e3)
            idle.add(idleSeconds * 1e3)
            memory.add(try megabytes(lines[1]))
            idleMemory.add(try megabytes(idleLines[0]))
            anonymous.add(try megabytes(lines[2]))
            idleAnonymous.add(try megabytes(idleLines[1]))
        }
        let nothing = "the same program, opening nothing"
        return [
            Row("open one notification, its process and the store included", opened, "ms", against: nothing, idle),
            Row("  the most memory resident", memory, "MB", against: nothing, idleMemory),
            Row("  without files' pages, at the end", anonymous, "MB", against: nothing, idleAnonymous),
        ]
    }

    // MARK: Activity

    private func activity() async throws -> [Row] {
        let pages = ActivityPages(rows: Self.rows)
        guard let url = URL(string: "http://service.example"),
            let client = IndexerClient(baseURL: url, transport: pages)
        else { throw BenchmarkError("The service has no address.") }
        let (merged, decoded) = try await Measure.inTurns(scale.repetitions) {
            let feed = ActivityFeed(client: client, address: pages.address) { _ in
                try await Task.sleep(for: .seconds(3_600))
            }
            return try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                let seconds = try await Measure.seconds {
                    group.addTask { await feed.run() }
                    for await snapshot in await feed.snapshots() where snapshot.isLoaded { break }
                    while await feed.snapshot.hasMore { await feed.loadMore() }
                }
                let count = await feed.snapshot.items.count
                guard count == Self.rows else { throw BenchmarkError("The list has \(count) rows.") }
                return seconds * 1e3
            }
        } _: {
            try Measure.seconds {
                for page in pages.bodies { _ = try JSONDecoder().decode(ActivityPage.self, from: page) }
            } * 1e3
        }
        return [
            Row(
                "\(Figure.text(Double(Self.rows))) rows of activity merged, from pages of 100", merged, "ms",
                against: "the pages decoded", decoded)
        ]
    }

    // MARK: Registration

    private func registration() async throws -> [Row] {
        let vector = try SealedVector.first()
        guard let wallet = Secp256k1WalletKey(secret: vector.secretBytes) else {
            throw BenchmarkError("The vector's secret is no key.")
        }
        let device = SoftwareDeviceKey()
        let (made, signed) = try await Measure.inTurns(scale.repetitions) {
            let clock = RunningClock()
            let manager = RegistrationManager(
                calls: AgreeableService(clock: clock),
                keys: KeysInMemory(address: vector.address, wallet: wallet, device: device), state: nil,
                environment: clock.environment, save: { _ in })
            return try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { await manager.run() }
                return try await Measure.seconds {
                    for change in 0..<Self.changes {
                        var registration = DeviceRegistration(
                            token: try .apns([UInt8](repeating: 7, count: 32)), platform: .ios,
                            walletAddress: vector.address)
                        registration.primaryAddress = vector.address
                        registration.aliases = ["alias \(change)"]
                        try await manager.want(.signedIn(registration))
                        while await !manager.progress.isInEffect { await Task.yield() }
                    }
                } * 1e3
            }
        } _: {
            try await Measure.seconds {
                for change in 0..<Self.changes {
                    let text = Array("\(change)".utf8)
                    _ = try await wallet.signature(ofDigest: Array(SHA256.hash(data: text)))
                    _ = try await device.signature(of: text)
                }
            } * 1e3
        }
        return [
            Row(
                "\(Figure.text(Double(Self.changes))) changes of a registration, signed by wallet and device", made,
                "ms", against: "their two signatures", signed)
        ]
    }
}
