import Kaspa
import PostgresServer
import SampleOperations
import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

@Suite("Reads and a server that goes", .timeLimit(.minutes(5)))
struct LostServerReadTests {
    private static let times = ServerTimes(
        deadline: .milliseconds(500), renewal: .seconds(3_600), pause: .milliseconds(5))
    /// More than a scan's first question brings.
    private static let rows: UInt64 = 300

    private let server: PostgresServer
    private let store: Store

    init() async throws {
        server = try PostgresServer()
        store = try StoreBench(on: server).open(times: LostServerReadTests.times)
        try await store.write(.growth) { (transaction) throws(StoreError) in
            for number in 0..<LostServerReadTests.rows {
                transaction.put(.transfers, LostServerReadTests.key(number), [1])
            }
        }
    }

    private static func key(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) }

    /// The ways to ask for a row that memory has not.
    private enum Question: CaseIterable {
        case get, scan, scanBackwards, isWatched, session, sessionAgain, snapshot, statistics
    }

    private func ask(_ question: Question, _ session: any StoreReading) async throws(StoreError) {
        func count(_ reading: any StoreReading) throws(StoreError) -> Int {
            try reading.list(.transfers, from: [], below: [0xff], limit: 1_000) { _ in 1 }.count
        }
        let rows = Int(LostServerReadTests.rows)
        switch question {
        case .get: #expect(try store.database.get(.transfers, LostServerReadTests.key(7)) == [1])
        case .scan: #expect(try count(store.database) == rows)
        case .scanBackwards:
            #expect(
                try store.database.listBackwards(.transfers, from: [], below: [0xff], limit: 9) { _ in 1 }.count == 9)
        case .isWatched: #expect(try store.database.isWatched([.group([UInt8](repeating: 1, count: 32))]) == [false])
        case .session: #expect(try count(store.database.session()) == rows)
        case .sessionAgain: #expect(try count(session) == rows)
        case .snapshot: #expect(try count(store.database.snapshot()) == rows)
        case .statistics: #expect(try await store.statistics().contains { $0.diskBytes > 0 })
        }
    }

    @Test("After a restart each read finds a new connection by itself", arguments: [true, false])
    func restarted(isKilled: Bool) async throws {
        for question in Question.allCases {
            let session = store.database.session()
            for question in Question.allCases { try await ask(question, session) }
            if isKilled { server.kill() } else { try server.stop() }
            try server.start()
            try await ask(question, session)
            #expect(store.trouble == nil, "\(question)")
        }
    }

    @Test("A read that fails says so, and the server's return is found out though nobody reads or writes")
    func noted() async throws {
        try await ask(.get, store.database.session())
        try server.stop()
        #expect(store.trouble == nil)
        let failure = await StoreBench.failure { () throws(StoreError) in try await ask(.get, store.database.session())
        }
        #expect(failure?.code == .unavailable)
        #expect(store.trouble == failure && store.registrationTrouble == failure)
        try server.start()
        try await StoreBench.wait("the trouble is over") { store.trouble == nil }
        for question in Question.allCases { try await ask(question, store.database.session()) }
    }

    @Test("A paused server holds up one read for its deadline, and those after it not at all")
    func paused() async throws {
        try await ask(.get, store.database.session())
        server.pause()
        let clock = ContinuousClock()
        let first = await clock.measure {
            let failure = await StoreBench.failure { () throws(StoreError) in
                try await ask(.scan, store.database.session())
            }
            #expect(failure?.code == .unavailable && failure == store.trouble)
            // It has not tried to connect.
            #expect(failure?.message.contains(" did not answer within ") == true)
        }
        #expect(first >= LostServerReadTests.times.deadline)
        let others = await clock.measure {
            for question in Question.allCases {
                let session = store.database.session()
                let failure = await StoreBench.failure { () throws(StoreError) in try await ask(question, session) }
                #expect(failure?.code == .unavailable, "\(question)")
            }
        }
        // Far below a deadline for each.
        #expect(others < LostServerReadTests.times.deadline * 4)
        server.resume()
        try await StoreBench.wait("the trouble is over") { store.trouble == nil }
        for question in Question.allCases { try await ask(question, store.database.session()) }
    }

    @Test("A scan that has told of a row is not made again")
    func toldOnce() async throws {
        var told = 0
        let failure = await StoreBench.failure { () throws(StoreError) in
            try store.database.scan(.transfers, prefix: []) { (_) throws(StoreError) in
                if told == 0 { server.kill() }
                told += 1
                return true
            }
        }
        #expect(failure?.code == .unavailable && told > 0 && told < LostServerReadTests.rows)
    }

    @Test("A row may be asked for while a scan tells of another, in every reading")
    func nested() async throws {
        for reading in [store.database, store.database.session(), store.database.snapshot()] as [any StoreReading] {
            var found = 0
            try reading.scan(.transfers, prefix: []) { (row) throws(StoreError) in
                found += try reading.get(.transfers, Array(row.key)) == [1] ? 1 : 0
                return true
            }
            #expect(found == LostServerReadTests.rows)
        }
    }

    @Test("A snapshot whose connection is lost stays lost: what comes later is of another moment")
    func lostSnapshot() async throws {
        let snapshot = store.database.snapshot()
        try await ask(.sessionAgain, snapshot)
        try server.stop()
        try server.start()
        for _ in 0..<2 {
            let failure = await StoreBench.failure { () throws(StoreError) in try await ask(.sessionAgain, snapshot) }
            #expect(failure?.code == .unavailable)
        }
        try await StoreBench.wait("the trouble is over") { store.trouble == nil }
        try await ask(.snapshot, snapshot)
    }

    @Test("A store that goes while its server is away is closed")
    func closes() async throws {
        let bench = try StoreBench(on: server, schema: "other")
        var other: Store? = try bench.open(times: LostServerReadTests.times)
        let closing = try #require(other?.closing)
        try server.stop()
        let read = await StoreBench.failure { [other] () throws(StoreError) in
            _ = try await other?.registry.devices(limit: 1)
        }
        #expect(read?.code == .unavailable && other?.trouble != nil)
        other = nil
        #expect(await closing.wait(atMost: .seconds(10)))
    }
}
