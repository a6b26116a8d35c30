import Foundation
import Testing

/// One of several processes on one store in PostgreSQL, with a folder and a port of its own.
///
/// The port stays the same whether it works or stands by.
final class StandbyProcess: Sendable {
    let process: LaunchedIndexer
    let rest: RESTClient
    let environment: [String: String]

    /// Starts it, and returns when its port is open: as one that works, or one that stands by.
    init(_ number: Int, in world: World, url: String, more: [String: String] = [:]) async throws {
        let port = try StandbyProcess.freePort()
        environment = world.environment.merging([
            "STORE_URL": url, "STORE_STANDBY": "true", "HTTP_PORT": "\(port)",
            "STORE_PATH": world.folder.appendingPathComponent("process-\(number)").path,
        ]) { $1 }.merging(more) { $1 }
        process = try LaunchedIndexer(environment: environment)
        rest = try await process.listening()
        try #require(rest.port == port)
    }

    /// What `/ready` says of the store; nil while the port is closed for a moment.
    var store: String? {
        get async { try? await rest.readiness().store }
    }

    /// Whether it stands by while another one works.
    var standsBy: Bool {
        get async { await store?.hasPrefix("another process works on the store at ") == true }
    }

    /// Returns when it works and is ready; logs what it took.
    func waitUntilReady(after what: String) async throws {
        let begin = ContinuousClock.now
        do {
            try await eventually("the other one is ready", within: .seconds(60)) {
                (try? await self.rest.readiness())?.isReady == true
            }
        } catch {
            print("standby test: never ready after \(what), exit status \(String(describing: process.status)):")
            print(process.logged)
            throw error
        }
        print("standby test: ready \(ContinuousClock.now - begin) after \(what)")
    }

    /// The value of `kasia_standby`.
    func standbyMetric() async throws -> Int? {
        let text = String(decoding: try await rest.send("GET", "/metrics/prometheus").body, as: UTF8.self)
        return text.firstMatch(of: /\nkasia_standby (\d)\n/).flatMap { Int($0.1) }
    }

    /// A port that was free a moment ago, below those that the system gives to sockets which name none.
    private static func freePort() throws -> Int {
        try #require((0..<100).lazy.map { _ in Int.random(in: 20_000..<32_000) }.first(where: isFree))
    }

    private static func isFree(_ port: Int) -> Bool {
        // A process that another test starts at this moment must not keep the port.
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
