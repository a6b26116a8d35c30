import Foundation
import Kaspa

/// Signed registrations of fifty addresses from very many phones at once, each answered when it is safe on the disk.
///
/// The service, in a process of its own, checks the signature and the challenge, reads the JSON, writes the device with
/// its index rows and syncs. Its requests are made beforehand. The yardstick only writes the same bodies to a file and
/// syncs, for all clients that wait at once.
struct RegistrationsBenchmark: Benchmark {
    static let name = "registrations"
    private static let clients = 64
    private static let addresses = 50
    private let scale: Scale

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let directory = try TemporaryDirectory()
        // It registers without a node.
        let service = try ServiceProcess(
            in: scale.executables, store: directory.file("store"), nodePort: try HTTPProbe.freePort(),
            environment: ["HTTP_RATE_LIMIT_PER_MINUTE": "0", "PUSH_AUTH_MODE": "strict"])
        defer { service.end() }
        try await service.answers("/health", within: .seconds(60))
        let http = LocalHTTP(port: service.port)
        var (first, again) = (Samples(), Samples())
        var (files, filesAgain) = (Samples(), Samples())
        for repetition in 0...scale.repetitions {
            let devices = try (0..<scale.registrations).map { try Self.device(repetition, $0) }
            for isFirst in [true, false] {
                let bodies = try devices.compactMap { try $0.registration(http) }
                guard bodies.count == devices.count else { throw BenchmarkError("A phone gets no challenge.") }
                let requests = bodies.map { LocalHTTP.request("POST", "/v1/push/register", $0, keepsAlive: true) }
                let crowd = try RequestCrowd(Self.clients, port: service.port)
                let ours = Double(requests.count) / (try crowd.send(requests))
                let file = try GroupCommit(directory.file("file"), group: Self.clients)
                let yardstick = Double(bodies.count) / (try file.write(bodies))
                guard repetition > 0 else { continue }
                if isFirst {
                    first.add(ours)
                    files.add(yardstick)
                } else {
                    again.add(ours)
                    filesAgain.add(yardstick)
                }
            }
        }
        let against = "the same bodies to a file, one fsync for 64"
        let what = "\(Self.addresses) addresses, \(Self.clients) clients, signed, durable"
        return [
            Row("registrations over HTTP, \(what)", first, "/s", against: against, files),
            Row("  the same devices again, nothing new", again, "/s", against: against, filesAgain),
        ]
    }

    private static func device(_ repetition: Int, _ number: Int) throws -> DayDevice {
        let first = (repetition << 32 | number) * addresses
        let watched = (0..<addresses).map { WatchPopulation.address(UInt64(first + $0)) }
        return try DayDevice(
            "registering \(repetition) \(number)", own: watched[0], contacts: Array(watched.dropFirst()))
    }
}
