import Foundation
import Kaspa

/// Signed registrations of fifty addresses each, made beforehand, of very many phones at once.
struct RegistrationRound {
    static let clients = 64
    private static let addresses = 50
    static let description = "\(addresses) addresses, \(clients) clients, signed, durable"

    let devices: [DayDevice]
    /// What they send.
    let bodies: [Data]
    private let port: UInt16

    /// Devices that no other round has.
    static func devices(_ count: Int, round: Int) throws -> [DayDevice] {
        try (0..<count).map { number in
            let first = (round << 32 | number) * addresses
            let watched = (0..<addresses).map { WatchPopulation.address(UInt64(first + $0)) }
            return try DayDevice(
                "registering \(round) \(number)", own: watched[0], contacts: Array(watched.dropFirst()))
        }
    }

    /// A service that registers without a node, and checks signatures.
    static func service(
        in folder: String, store: String, _ environment: [String: String] = [:]
    ) throws -> ServiceProcess {
        try ServiceProcess(
            in: folder, store: store, nodePort: try HTTPProbe.freePort(),
            environment: environment.merging(["HTTP_RATE_LIMIT_PER_MINUTE": "0", "PUSH_AUTH_MODE": "strict"]) { $1 })
    }

    /// Asks for a challenge for each device, and signs its body.
    init(_ devices: [DayDevice], _ service: ServiceProcess) throws {
        let http = LocalHTTP(port: service.port)
        self.devices = devices
        port = service.port
        bodies = try devices.compactMap { try $0.registration(http) }
        guard bodies.count == devices.count else { throw BenchmarkError("A phone gets no challenge.") }
    }

    /// The seconds until all have got their 200.
    func send() throws -> Double {
        try RequestCrowd(Self.clients, port: port).send(
            bodies.map { LocalHTTP.request("POST", "/v1/push/register", $0, keepsAlive: true) })
    }
}
