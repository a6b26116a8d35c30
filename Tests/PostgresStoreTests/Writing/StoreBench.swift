import Foundation
import Kaspa
import Postgres
import PostgresServer
import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

/// A database for one test, to be opened as a store and to be meddled with.
struct StoreBench {
    /// Of a process that says nothing to the server between its writes, so that a test knows what it finds out when.
    static let quiet = ServerTimes(renewal: .seconds(3_600))
    /// Nor does it look at the sizes of its tables: a look while the server restarts would be the first to miss it.
    private static let noUpkeep = QueueUpkeep.Limits(interval: .seconds(3_600))

    let location: PostgresStore.Location

    /// A schema of its own on the server that all tests share.
    init() throws { location = try TestStores.location(UUID().uuidString) }

    /// A schema of its own on a server that is to be killed.
    init(on server: PostgresServer, schema: String = "public") throws {
        location = try TestStores.location(schema: schema, database: "postgres", on: server)
    }

    private var host: String { String(location.url.drop { $0 != "@" }.dropFirst().prefix { $0 != ":" }) }

    /// The path of the server's socket.
    var socket: String { (host.removingPercentEncoding ?? "") + "/.s.PGSQL.5432" }

    func open(
        network: Network = .mainnet, limits: StoreLimits = StoreLimits(), readOnly: Bool = false,
        times: ServerTimes = StoreBench.quiet, through proxy: CutProxy? = nil
    ) throws(StoreError) -> Store {
        var location = location
        if let proxy {
            location.url = location.url.replacing(host, with: proxy.folder.replacing("/", with: "%2F"))
        }
        return try PostgresStore.open(
            location, network: network, limits: limits, readOnly: readOnly, acceptsPartialCopy: false, standby: nil,
            times: times, upkeep: StoreBench.noUpkeep)
    }

    /// Uses the store, and returns when it is closed.
    func use(_ body: (Store) async throws -> Void = { _ in }) async throws {
        var store: Store? = try open()
        let closing = store?.closing
        if let store { try await body(store) }
        store = nil
        #expect(await closing?.wait(atMost: .seconds(10)) == true)
    }

    func connect() throws -> Connection { try Connection(location.settings(session: PostgresStore.session)) }

    func run(_ script: String) throws { try connect().execute(script: script) }

    func number(_ query: String) throws -> Int64 { try connect().query(query, []).int64(0, 0) }

    /// The number of the last transaction, as the server has it.
    func lastBatch() throws -> UInt64 { UInt64(clamping: try number("select batch from writer")) }

    /// Ends the connection of whoever writes; returns how many there were.
    @discardableResult
    func cutWriter() throws -> Int64 {
        try number(
            """
            select count(pg_terminate_backend(l.pid, 10000))
            from (select hashtextextended(current_schema(), \(WriterStatements.lockKey)) as key) k
            join pg_locks l on l.locktype = 'advisory' and (l.classid::bigint << 32 | l.objid::bigint) = k.key
            """)
    }

    /// Waits until something is so.
    static func wait(_ what: String, _ condition: () throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while try !condition() {
            guard ContinuousClock.now < end else { throw StoreError(.engine, "it never came to be so: \(what)") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Asks until the server is back.
    static func patiently<Answer>(_ verb: () async throws -> Answer) async throws -> Answer {
        let end = ContinuousClock.now + .seconds(30)
        while true {
            do {
                return try await verb()
            } catch let error as StoreError where error.code == .unavailable && ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    static func failure(_ verb: () async throws(StoreError) -> Void) async -> StoreError? {
        do throws(StoreError) {
            try await verb()
            return nil
        } catch {
            return error
        }
    }
}

extension Store {
    private static let tally = Array("tally".utf8)

    /// Adds 1 to a number that is in a row of `meta`, which is kept in memory, and in one that is not.
    func count(_ change: StoreChange = .upkeep) async throws(StoreError) {
        try await write(change) { (transaction) throws(StoreError) in
            try transaction.adjust(.eventsCreated, by: 1)
            let old = try transaction.get(.transfers, Store.tally).map(Store.number) ?? 0
            transaction.put(.transfers, Store.tally, withUnsafeBytes(of: (old + 1).bigEndian, Array.init))
        }
    }

    /// How often `count` was committed; nil: the two rows differ.
    func counted() throws(StoreError) -> UInt64? {
        let number = try database.get(.transfers, Store.tally).map(Store.number) ?? 0
        return try database.value(of: .eventsCreated) == number ? number : nil
    }

    private static func number(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    var writeQueue: WriteQueue? { (backend as? PostgresBackend)?.writer?.queue }
}
