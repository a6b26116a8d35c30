import Foundation
import PostgresServer
import Synchronization
import Testing

@testable import PostgresStore
@testable import Store

@Suite("The list of the processes that share a store", .timeLimit(.minutes(5)))
struct ClusterMembershipTests {
    private let bench: StoreBench
    private let time = Time()

    /// The machine's uptime, as a test sets it.
    private final class Time: Sendable {
        private let uptime = Mutex(Duration.seconds(100))
        var now: Duration { uptime.withLock { $0 } }
        func pass(_ time: Duration) { uptime.withLock { $0 += time } }
    }

    init() throws { bench = try StoreBench() }

    private func member(_ name: String, version: String = "1") -> ClusterMembership {
        ClusterMembership(bench.location, name: name, version: version, watch: nil, times: ServerTimes()) { [time] in
            time.now
        }
    }

    /// The list as `process` sees it, each as "name state".
    private func list(_ process: ClusterMembership, isWorking: Bool = false) async throws -> [String] {
        try await process.meet(isWorking: isWorking).map { "\($0.name) \($0.state.rawValue)" }
    }

    @Test("Each sees all, by name; what they do and how long they run is as they said last")
    func list() async throws {
        try await bench.use()
        let (b, a) = (member("b:1", version: "2"), member("a:1"))
        #expect(try await list(b, isWorking: true) == ["b:1 working"])
        time.pass(.milliseconds(2_500))
        let members = try await a.meet(isWorking: false, shards: [1, 3])
        #expect(
            members == [
                ClusterMember(
                    name: "a:1", state: .standingBy, version: "1", uptime: .seconds(102), shards: [1, 3],
                    silence: .zero),
                ClusterMember(
                    name: "b:1", state: .working, version: "2", uptime: .seconds(100), shards: nil, silence: .zero),
            ])
        #expect(try await list(b, isWorking: false) == ["a:1 standing_by", "b:1 standing_by"])
        #expect(try await list(a, isWorking: true) == ["a:1 working", "b:1 standing_by"])
    }

    @Test("One is silent after more than a lease without a sign of life, and back with the next")
    func silent() async throws {
        try await bench.use()
        let (a, b) = (member("a:1"), member("b:1"))
        _ = try await a.meet(isWorking: true)
        #expect(try await list(b) == ["a:1 working", "b:1 standing_by"])
        time.pass(.milliseconds(4_900))
        #expect(try await list(b) == ["a:1 working", "b:1 standing_by"])
        time.pass(.milliseconds(100))
        #expect(try await list(b) == ["a:1 working", "b:1 standing_by"])
        time.pass(.milliseconds(100))
        #expect(try await list(b) == ["a:1 silent", "b:1 standing_by"])
        #expect(try await b.meet(isWorking: false)[0].silence == .milliseconds(5_100))
        _ = try await a.meet(isWorking: true)
        #expect(try await list(b) == ["a:1 working", "b:1 standing_by"])
    }

    @Test("One that leaves is listed no more, one that is silent for an hour neither")
    func gone() async throws {
        try await bench.use()
        let (a, b, c) = (member("a:1"), member("b:1"), member("c:1"))
        _ = try await a.meet(isWorking: true)
        _ = try await b.meet(isWorking: false)
        #expect(try await list(c) == ["a:1 working", "b:1 standing_by", "c:1 standing_by"])
        await b.leave()
        #expect(try await list(c) == ["a:1 working", "c:1 standing_by"])
        time.pass(.seconds(3_599))
        #expect(try await list(c) == ["a:1 silent", "c:1 standing_by"])
        time.pass(.seconds(1))
        #expect(try await list(c) == ["c:1 standing_by"])
        // It was only frozen.
        #expect(try await list(a) == ["a:1 standing_by", "c:1 standing_by"])
        #expect(try await list(c) == ["a:1 standing_by", "c:1 standing_by"])
    }

    @Test("One that starts again takes the place of what it was before; two of one name are both listed")
    func restarted() async throws {
        try await bench.use()
        let (before, after) = (member("a:1"), member("a:1", version: "2"))
        _ = try await before.meet(isWorking: true)
        #expect(try await after.meet(isWorking: false).map(\.version) == ["2"])
        #expect(try await before.meet(isWorking: true).map(\.version).sorted() == ["1", "2"])
        #expect(try await after.meet(isWorking: false).map(\.version).sorted() == ["1", "2"])
    }

    @Test("Without a list nothing is known, and the next process that writes makes it; its layout stays as it is")
    func older() async throws {
        try await bench.use()
        try bench.run("drop table members")
        let a = member("a:1")
        #expect(try await list(a).isEmpty)
        try await bench.use()
        #expect(try await list(a) == ["a:1 standing_by"])
        #expect(try bench.number("select version from store_layout") == SchemaScript.layout)
    }

    @Test("A server that is away is an error, and the first call after it is back is answered")
    func away() async throws {
        let server = try PostgresServer()
        let bench = try StoreBench(on: server)
        try await bench.use()
        let a = ClusterMembership(
            bench.location, name: "a:1", version: "1", watch: nil, times: ServerTimes()
        ) { .seconds(1) }
        #expect(try await a.meet(isWorking: true).count == 1)
        try server.stop()
        await #expect(throws: StoreError.self) { try await a.meet(isWorking: true) }
        await a.leave()
        await #expect(throws: StoreError.self) { try await a.meet(isWorking: true) }
        try server.start()
        #expect(try await a.meet(isWorking: true).count == 1)
    }
}
