import APNsSandbox
import Foundation
import KaspadReplay
import PostgresServer
import Synchronization
import Testing

/// The real executable while its database server is away, with the chain, apps and Apple going on around it.
@Suite("A database server that goes and comes back", .timeLimit(.minutes(10)))
struct DatabaseFaultTests {
    enum Fault: CaseIterable, Sendable {
        /// A fast shutdown: clients are told.
        case stopped
        /// SIGKILL: what was committed without waiting for the disk may be lost.
        case killed
        /// SIGSTOP: connections stay open, nothing answers.
        case paused

        func begin(_ server: PostgresServer) throws {
            switch self {
            case .stopped: try server.stop()
            case .killed: server.kill()
            case .paused: server.pause()
            }
        }

        func end(_ server: PostgresServer) throws {
            if self == .paused { server.resume() } else { try server.start() }
        }
    }

    @Test(
        "in the middle of traffic: it says so, refuses what is new, and then all pushes arrive",
        arguments: Fault.allCases)
    func away(fault: Fault) async throws {
        let server = try PostgresServer()
        try await FaultWorld.with { faults in
            let world = faults.world
            let environment = world.environment.merging(["STORE_URL": server.url(database: "postgres")]) { $1 }
            let indexer = try await IndexerProcess(environment: environment)
            let rest = indexer.rest
            try await faults.registerAll(rest)
            let apps = CallingApps()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await apps.run(rest) }
                let entries = [400, (400 + world.replay.entryCount) / 2, world.replay.entryCount]
                var sent = 19
                for (played, next) in zip(entries, entries.dropFirst()) {
                    await world.replay.advance(to: played)
                    try await world.sandbox.waitForNotifications(count: sent + 1)
                    try fault.begin(server)
                    sent = world.sandbox.notifications.count
                    // The node has more to tell.
                    await world.replay.advance(to: next)
                    try await eventually("the service says why it is not ready", within: .seconds(20)) {
                        let readiness = try await rest.readiness()
                        return !readiness.isReady && readiness.store.hasPrefix("PostgreSQL: ")
                    }
                    try await expectRefusals(rest)
                    try fault.end(server)
                    try await eventually("it is ready again", within: .seconds(60)) {
                        try await rest.readiness().store == "ok"
                    }
                    try await apps.waitForAnswer()
                }
                apps.end()
                try await group.waitForAll()
                try await faults.expectAll(mayRepeat: fault == .killed)
            }
            try await faults.expectAllRegistered(rest)
            for token in apps.acknowledged {
                let isRegistered = try await rest.isRegistered(token)
                #expect(isRegistered, "\(token)")
            }
            #expect(indexer.process.status == nil)
            #expect(await indexer.end(SIGTERM) == 0)
            let check = try await Executable.run(["check"], environment: environment)
            #expect(check.status == 0, "\(check.output)")
        }
    }

    /// New registrations and reads of every kind are refused, as the API's document says; nothing else is.
    private func expectRefusals(_ rest: RESTClient) async throws {
        let address = try #require(
            Fixture.goldenNotifications().devices.lazy.compactMap {
                (try? JSONSerialization.jsonObject(with: $0.registration) as? [String: Any])?["watched_addresses"]
                    as? [String]
            }.first?.first)
        let id = String(repeating: "0", count: 64)
        let document = try JSONSerialization.jsonObject(with: try await rest.send("GET", "/openapi.json").body)
        let paths = try #require((document as? [String: Any])?["paths"] as? [String: [String: [String: Any]]])
        let registration = try JSONSerialization.data(withJSONObject: [
            "device_token": id, "platform": "ios", "watched_addresses": [address],
        ])
        for (method, path, query, body) in [
            ("POST", "/v1/push/register", "", registration), ("PUT", "/v1/push/update", "", registration),
            ("GET", "/v1/push/status", "?device_token=\(id)", nil),
            ("GET", "/v1/push/missed", "?device_token=\(id)", nil),
            ("GET", "/handshakes/by-sender", "?address=\(address)", nil),
            ("GET", "/payments/by-receiver", "?address=\(address)", nil),
            ("GET", "/v1/activity", "?address=\(address)", nil), ("GET", "/v1/messages/{tx_id}", "", nil),
        ] as [(String, String, String, Data?)] {
            let answer = try await rest.send(method, path.replacing("{tx_id}", with: id) + query, body)
            #expect(answer.status == 503, "\(method) \(path): \(String(decoding: answer.body, as: UTF8.self))")
            let responses = try #require(paths[path]?[method.lowercased()]?["responses"] as? [String: Any])
            #expect(responses["503"] != nil, "\(method) \(path)")
        }
        #expect(try await rest.send("GET", "/health").status == 200)
    }

    @Test("commands and metrics say that it is away, and what the store is")
    func words() async throws {
        let server = try PostgresServer()
        try await World.with(Fixture.recording()) { world in
            let environment = world.environment.merging(["STORE_URL": server.url(database: "postgres")]) { $1 }
            let indexer = try await IndexerProcess(environment: environment)
            func metrics() async throws -> String {
                String(decoding: try await indexer.rest.send("GET", "/metrics/prometheus").body, as: UTF8.self)
            }
            try await eventually("sizes are measured") {
                let text = try await metrics()
                return text.contains("\nkasia_store_trouble 0\n")
                    && text.contains("\nkasia_store_bytes{column_family=\"devices\"} ")
            }
            try server.stop()
            // The gauges are taken every fifteen seconds.
            try await eventually("the metric says so") { try await metrics().contains("\nkasia_store_trouble 1\n") }
            for command in ["stats", "check", "doctor"] {
                let result = try await Executable.run([command], environment: environment)
                #expect(result.status == 1 && result.output.contains("/.s.PGSQL.5432"), "\(command): \(result.output)")
            }
            try server.start()
            try await eventually("the metric says so") { try await metrics().contains("\nkasia_store_trouble 0\n") }
            let text = try await metrics()
            #expect(text.contains("\nkasia_store_engine{engine=\"postgresql\"} 1\n"))
            #expect(!text.contains("\nkasia_store_free_bytes "))
            #expect(await indexer.end(SIGTERM) == 0)
        }
    }
}

/// An app after the other registers, whatever the service answers, and remembers what it was promised.
private final class CallingApps: Sendable {
    private struct State {
        var number = 0
        var acknowledged: [String] = []
        var isOver = false
    }

    private let state = Mutex(State())

    /// The tokens whose registration was answered 200.
    var acknowledged: [String] { state.withLock { $0.acknowledged } }

    func end() { state.withLock { $0.isOver = true } }

    func run(_ rest: RESTClient) async throws {
        while let number = state.withLock({ state in
            state.number += 1
            return state.isOver ? nil : state.number
        }) {
            let token = String(repeating: "fa", count: 30) + String(format: "%04x", number & 0xffff)
            if try await rest.registerLarge(token, number: number) {
                state.withLock { $0.acknowledged.append(token) }
            }
            // Keeps the calls apart, no more: a refusal comes within a millisecond.
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Returns when another one was promised something.
    func waitForAnswer() async throws {
        let before = acknowledged.count
        try await eventually("a registration is taken in") { acknowledged.count > before }
    }
}
