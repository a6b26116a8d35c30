import Foundation
import PostgresServer
import Testing

/// The real service while its database server is away.
@Suite("A database server that goes and comes back", .timeLimit(.minutes(10)))
struct DatabaseFaultTests {
    @Test("without its server the service says so and refuses with 503; then it goes on by itself")
    func away() async throws {
        let golden = try Fixture.goldenNotifications()
        let (first, second) = (golden.devices[0], golden.devices[1])
        let server = try PostgresServer()
        let url = server.url(database: try server.makeDatabase())
        try await World.with(Fixture.recording()) { world in
            let environment = world.environment.merging(["STORE_URL": url]) { $1 }
            let indexer = try await IndexerProcess(environment: environment)
            try await indexer.rest.register(first.registration)
            #expect(try await indexer.rest.readiness().store == "ok")

            try server.stop()
            let refused = try await indexer.rest.send("POST", "/v1/push/register", second.registration)
            #expect(refused.status == 503, "\(String(decoding: refused.body, as: UTF8.self))")
            #expect(String(decoding: refused.body, as: UTF8.self).contains("try again later"))
            let readiness = try await indexer.rest.readiness()
            #expect(!readiness.isReady && readiness.store.hasPrefix("PostgreSQL: "), "\(readiness)")
            let read = try await indexer.rest.send(
                "GET", "/v1/push/status?device_token=\(String(repeating: "0", count: 64))")
            #expect(read.status == 503, "\(String(decoding: read.body, as: UTF8.self))")
            let health = try await indexer.rest.send("GET", "/health")
            #expect(health.status == 200)
            let stats = try await Executable.run(["stats"], environment: environment)
            #expect(stats.status == 1 && stats.output.contains("PostgreSQL: "), "\(stats.output)")
            // The gauges are taken every fifteen seconds.
            func trouble() async throws -> Bool {
                String(decoding: try await indexer.rest.send("GET", "/metrics/prometheus").body, as: UTF8.self)
                    .contains("\nkasia_store_trouble 1\n")
            }
            try await eventually("the metric says so") { try await trouble() }

            try server.start()
            try await eventually("registrations are taken in again") {
                try await indexer.rest.send("POST", "/v1/push/register", second.registration).status == 200
            }
            #expect(try await indexer.rest.readiness().store == "ok")
            #expect(try await indexer.rest.isRegistered(first.token))
            #expect(try await indexer.rest.isRegistered(second.token))
            let metrics = String(
                decoding: try await indexer.rest.send("GET", "/metrics/prometheus").body, as: UTF8.self)
            #expect(metrics.contains("\nkasia_store_engine{engine=\"postgresql\"} 1\n"))
            #expect(!metrics.contains("\nkasia_store_free_bytes "))
            #expect(await indexer.end(SIGTERM) == 0)
        }
    }
}
