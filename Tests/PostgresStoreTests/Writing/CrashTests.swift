import Foundation
import Kaspa
import PostgresServer
import SampleOperations
import StoreSupport
import Synchronization
import TestRandom
import Testing

@testable import PostgresStore
@testable import Store

/// Servers that sync, are killed, and have lost what nobody waited for: their log is written every ten seconds.
@Suite("A server that crashes", .timeLimit(.minutes(5)), .serialized)
struct CrashTests {
    static func makeServer() throws -> PostgresServer {
        try PostgresServer(
            settings: [
                "wal_writer_delay": "10000ms", "wal_writer_flush_after": "1GB", "wal_buffers": "16MB",
                "bgwriter_lru_maxpages": "0", "autovacuum": "off",
            ], fsync: true)
    }

    @Test("What was acknowledged and lost is made again; after 64 in a row one waits for the disk")
    func lost() async throws {
        let server = try CrashTests.makeServer()
        // Each by itself: of what is not synced, a kill loses only what has not filled a page of the log.
        for count in [0, 1, 63, 64, 65] as [UInt64] {
            let bench = try StoreBench(on: server, schema: "s\(count)")
            let store = try bench.open()
            try await store.count(.growth)
            for _ in 0..<count { try await store.count(.upkeep) }
            let first = store.lastWrite
            #expect(first == count + 1)
            try restart(server)
            let lost = first - (try bench.lastBatch())
            #expect((lost > 0) == (1...64).contains(count), "\(count)")
            try await store.count(.upkeep)
            try await store.sync()
            #expect(try await StoreBench.patiently { try store.counted() } == count + 2, "\(count)")
            // A number for each that was made again, one for the last, and one for the sync.
            #expect(store.lastWrite == first + lost + 2, "\(count)")
            #expect(try bench.open(readOnly: true).counted() == count + 2, "\(count)")
        }
    }

    @Test("A registration that is lost before it is synced is made again, and not refused")
    func registration() async throws {
        let server = try CrashTests.makeServer()
        let bench = try StoreBench(on: server)
        let store = try bench.open()
        let device = Samples.device(1, watching: [Samples.alice])
        try await store.registry.upsertDevice(device.id) { _ in device }
        try restart(server)
        #expect(try bench.number("select count(*) from devices") == 0)
        try await store.sync()
        #expect(try bench.number("select count(*) from devices") == 1)
        #expect(try await StoreBench.patiently { try await store.totals().devices } == 1)
        #expect(try bench.open(readOnly: true).checkBooks().isSound)
    }

    @Test("While the server refuses what it lost, nothing else is made; then both are")
    func refused() async throws {
        let server = try CrashTests.makeServer()
        let bench = try StoreBench(on: server)
        let store = try bench.open()
        for change in [StoreChange.growth, .upkeep, .upkeep] { try await store.count(change) }
        try restart(server)
        try bench.run(
            """
            create function refuse() returns trigger language plpgsql as $$
            begin raise exception 'it is refused' using errcode = '23514'; end $$;
            create trigger refuse before insert or update on transfers for each row
            when (new.key = 'tally'::bytea) execute function refuse()
            """)
        async let other: Void = store.write { $0.put(.transfers, [1], [1]) }
        try await StoreBench.wait("it is refused") { store.trouble?.message.contains("it is refused") == true }
        #expect(try bench.lastBatch() == 1)
        #expect(store.trouble?.code == .unavailable)
        try bench.run("drop trigger refuse on transfers")
        try await other
        #expect(try await StoreBench.patiently { try store.counted() } == 3)
        #expect(try store.database.get(.transfers, [1]) == [1])
    }

    private func restart(_ server: PostgresServer) throws {
        server.kill()
        try server.start()
    }

    @Test("Cut off while it makes again what was lost, it goes on where it was")
    func cutWhileMadeAgain() async throws {
        let server = try CrashTests.makeServer()
        let bench = try StoreBench(on: server)
        let proxy = try CutProxy(to: bench.socket)
        let store = try bench.open(through: proxy)
        var random = SeededRandom()
        var counted: UInt64 = 0
        for round in 0..<6 {
            try await store.count(.growth)
            let lost = UInt64.random(in: 5...20, using: &random)
            for _ in 0..<lost { try await store.count(.upkeep) }
            try restart(server)
            let cuts = (0..<4).map { _ in
                CutProxy.Cut(
                    side: CutProxy.Side.allCases.randomElement(using: &random) ?? .request,
                    after: Int.random(in: 1_500..<6_000, using: &random),
                    serverEnd: CutProxy.ServerEnd.allCases.randomElement(using: &random) ?? .closed)
            }
            proxy.arm(cuts)
            try await store.count(.upkeep)
            proxy.arm([])
            counted += lost + 2
            let found = try await StoreBench.patiently { try store.counted() }
            try #require(found == counted, "TEST_SEED=\(random.seed), round \(round)")
        }
        #expect(store.lastWrite > counted)
    }

    @Test("A life of registrations, events and settlements loses nothing and does nothing twice")
    func life() async throws {
        let server = try CrashTests.makeServer()
        let bench = try StoreBench(on: server)
        var times = StoreBench.quiet
        (times.patience, times.pause) = (.milliseconds(100), .milliseconds(5))
        var random = SeededRandom()
        let remade: UInt64
        var life: CrashLife
        do {
            let store = try bench.open(times: times)
            life = CrashLife(store, random)
            for _ in 0..<6 {
                for _ in 0..<Int.random(in: 3...20, using: &random) { try await life.live() }
                let killer = Killer(server, after: .random(in: 0...10_000, using: &random))
                while !killer.isOver { try await life.live() }
                if let failure = killer.failure { throw failure }
            }
            try await life.noteAccepted()
            try restart(server)
            for _ in 0..<20 { try await life.live() }
            try await store.sync()
            remade = store.lastWrite - (try bench.lastBatch())
        }
        #expect(remade > 0, "TEST_SEED=\(random.seed): nothing was lost")
        try await life.compare(with: try bench.open(readOnly: true))
    }
}

/// Kills a server and starts it again, on a thread of its own.
final class Killer: Sendable {
    private struct State {
        var isOver = false
        var failure: (any Error)?
    }

    private let state = Mutex(State())

    var isOver: Bool { state.withLock { $0.isOver } }
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// `pause`: microseconds before the kill.
    init(_ server: PostgresServer, after pause: UInt32) {
        Thread.detachNewThread { [self] in
            usleep(pause)
            server.kill()
            let result = Result { try server.start() }
            state.withLock { state in
                state.isOver = true
                if case .failure(let error) = result { state.failure = error }
            }
        }
    }
}
