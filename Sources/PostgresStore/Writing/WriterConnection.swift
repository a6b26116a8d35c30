import Foundation
import Kaspa
import Postgres
import Store

/// The writer's connection, and its place as the only one.
struct WriterConnection {
    /// This process among all that ever wrote here: 16 bytes.
    let incarnation: [UInt8]
    private let settings: ConnectionSettings
    private(set) var connection: Connection
    /// Those of the rows that it wrote or read last.
    let places = RowPlaces()

    /// Whether the connection is gone.
    var isLost: Bool { connection.isLost }

    /// Connects, and sees to it that no other process is connected to write.
    ///
    /// Errors: `.locked` while one is. The connection of the process of an `expired` heartbeat is ended.
    init(_ settings: ConnectionSettings, after expired: Heartbeat?) throws(StoreError) {
        var identity = UUID().uuid
        incarnation = withUnsafeBytes(of: &identity) { Array($0) }
        let names = (own: settings.name(of: incarnation), expired: expired.map { settings.name(of: $0.incarnation) })
        var settings = settings
        settings.applicationName = names.own
        self.settings = settings
        connection = try checked { [settings] () throws(PostgresError) in try Connection(settings) }
        // It may be paused, or cut off.
        if let name = names.expired {
            try endHolder(name)
            try endSilentHolder()
        }
        guard try takeLock() else {
            throw StoreError(
                .locked,
                "another process writes to the store at \(settings.target): stop it, or choose another store.url")
        }
    }

    /// Makes this process the one that writes; returns the number of the last transaction before.
    ///
    /// It survives a crash of the server: after one, this process must find itself there. With `isWithinTransaction` the
    /// caller begins and commits. Errors: `.locked` when there has been another heartbeat since the one that is `expired`.
    func takeOver(from expired: Heartbeat?, isWithinTransaction: Bool = false) throws(StoreError) -> UInt64 {
        let taking: (Statement, [Parameter]) =
            if let expired {
                (
                    WriterStatements.takeOverExpired,
                    [.uuid(incarnation), .uuid(expired.incarnation), .int64(expired.number)]
                )
            } else {
                (WriterStatements.takeOver, [.uuid(incarnation)])
            }
        let batch = try checked { () throws(PostgresError) -> Int64? in
            let around: (before: [(Statement, [Parameter])], after: [(Statement, [Parameter])]) =
                isWithinTransaction
                ? ([], [])
                : ([(WriterStatements.begin, []), (WriterStatements.durable, [])], [(WriterStatements.commit, [])])
            let taken = try connection.run(around.before + [taking] + around.after)[around.before.count]
            return taken.count > 0 ? try taken.int64(0, 0) : nil
        }
        guard let batch else { throw WriterConnection.isAtWork(settings) }
        return UInt64(clamping: batch)
    }

    /// Why one that stands by has to wait.
    static func isAtWork(_ settings: ConnectionSettings) -> StoreError {
        StoreError(.locked, "another process is at work with the store at \(settings.target)")
    }

    /// Gives a sign of life while nothing is written; with `releases`, says that this process is at work no more.
    ///
    /// It is answered when a synchronous standby has it, too: a primary that is cut off and replaced renews no lease.
    /// Errors: `.locked` when another process writes by now.
    func sendHeartbeat(releases: Bool = false) throws(StoreError) {
        places.writer = try checked { () throws(PostgresError) in
            let answer = try connection.run([
                (WriterStatements.begin, []), (WriterStatements.durable, []),
                (WriterStatements.heartbeat, [.uuid(incarnation), .bool(releases)]), (WriterStatements.commit, []),
            ])[2]
            guard answer.count > 0 else { throw WriterConnection.replaced }
            return try answer.text(0, 0)
        }
    }

    private static var replaced: PostgresError {
        PostgresError(.server(sqlState: "KP001"), "another process writes to this store")
    }

    /// Ends the connection; `reconnect` makes a new one.
    func close() { connection.close() }

    /// Connects again, and returns the number of the last transaction that this process committed.
    ///
    /// Errors: `.locked` when another process writes by now. After any, there is no connection.
    mutating func reconnect() throws(StoreError) -> UInt64 {
        connection.close()
        places.writer = nil
        // One that was silent may be cut off from the others, and replaced by one of them.
        settings.history?.passOver()
        connection = try checked { () throws(PostgresError) in try Connection(settings) }
        do throws(StoreError) {
            return try resume()
        } catch {
            connection.close()
            throw error
        }
    }

    private func resume() throws(StoreError) -> UInt64 {
        _ = try lastBatch()
        guard try takeLock() else {
            // One that opens the store and has not taken over, or our own that is about to end.
            throw StoreError(
                .unavailable, "PostgreSQL: another connection to \(settings.target) holds the store's lock")
        }
        // Only now nothing of the old connection is still on its way.
        return try lastBatch()
    }

    /// The number of the last transaction; `.locked` when it is another process's.
    private func lastBatch() throws(StoreError) -> UInt64 {
        try checked { () throws(PostgresError) -> UInt64 in
            let rows = try connection.run([(WriterStatements.last, [])])[0]
            guard rows.bytes(0, 0) == incarnation else { throw WriterConnection.replaced }
            return UInt64(clamping: try rows.int64(0, 1))
        }
    }

    /// Writes what a transaction put and deleted, in one round trip; on return it is committed.
    ///
    /// With `isDurable` it survives a crash of the server, else most of the time. A row that `reading`, the transaction's
    /// own, has not seen is taken for a new one, as most are; where that is wrong, all is done once more without it. Each
    /// row gives the server a millisecond more to answer, so that a large transaction is not begun again and again.
    mutating func commit(
        _ transaction: WriteTransaction, telling told: [(Statement, [Parameter])] = [], after reading: ServerReading,
        number: UInt64, isDurable: Bool
    ) throws(StoreError) {
        let orders = transaction.orders.values.reduce(0) { $0 + $1.count }
        let rows = ColumnFamily.allCases.reduce(orders) { $0 + transaction.writes(to: $1).count }
        connection.deadline = settings.deadline + .milliseconds(rows)
        defer { connection.deadline = settings.deadline }
        func run(_ isNew: (ColumnFamily, RowKey) -> Bool) throws(PostgresError) {
            var calls: [(Statement, [Parameter])] = [(WriterStatements.begin, [])]
            if isDurable { calls.append((WriterStatements.durable, [])) }
            calls += places.hold(incarnation, number)
            let held = calls.count - 1
            var placed: [(family: ColumnFamily, calls: Range<Int>)] = []
            for family in ColumnFamily.allCases {
                let changes = changes(of: transaction.writes(to: family), family) { isNew(family, $0) }
                calls += changes.others
                placed.append((family, calls.count..<calls.count + changes.byPlace.count))
                calls += changes.byPlace
            }
            calls += told
            calls.append((WriterStatements.commit, []))
            // The writer's row stands elsewhere afterwards, whatever comes of this.
            places.writer = nil
            let answers = try connection.run(calls)
            try places.noteWriter(answers[held])
            for (family, calls) in placed {
                for answer in answers[calls] { try places.note(answer, of: family, column: 1) }
            }
        }
        try checked { () throws(PostgresError) in
            do throws(PostgresError) {
                try run { !reading.hasSeen($0, $1) }
            } catch {
                guard case .server(sqlState: WriterConnection.uniqueViolation) = error.kind else { throw error }
                try run { _, _ in false }
            }
        }
    }

    private static let uniqueViolation = "23505"

    /// Empties the partitions of the log whose rows are all older than `time`; returns whether there was one.
    ///
    /// One that is being read stays for now.
    /// `number` is that of the last transaction, as this is none that could be in doubt.
    mutating func forgetLogDays(before time: UInt64, number: UInt64) throws(StoreError) -> Bool {
        places.writer = nil
        return try checked { () throws(PostgresError) in
            var hasEmptied = false
            let youngest = try connection.run([(LogSlots.youngest, [])])[0]
            for row in 0..<youngest.count where LogDay.time(ofKey: youngest.bytes(row, 1)) < time {
                let slot = Int(try youngest.int16(row, 0))
                do throws(PostgresError) {
                    _ = try connection.run([
                        (WriterStatements.begin, []), (WriterStatements.durable, []), (LogSlots.impatient, []),
                        (WriterStatements.hold, [.uuid(incarnation), .int64(Int64(clamping: number))]),
                        (LogSlots.empty[slot], []), (WriterStatements.commit, []),
                    ])
                    hasEmptied = true
                } catch {
                    guard case .server(sqlState: WriterConnection.lockNotAvailable) = error.kind else { throw error }
                }
            }
            return hasEmptied
        }
    }

    private static let lockNotAvailable = "55P03"

    /// How often the lock is tried, and seconds in between: two seconds in all.
    private static let (lockAttempts, lockPause) = (100, 0.02)

    /// Rows of one statement, at most: its parameters stay within some megabytes.
    private static let rowsAtOnce = 2_048

    /// The statements for a family's rows; the answers to those by place are places.
    private func changes(
        of writes: [RowWrite], _ family: ColumnFamily, isNew: (RowKey) -> Bool
    ) -> (others: [(Statement, [Parameter])], byPlace: [(Statement, [Parameter])]) {
        guard !writes.isEmpty else { return ([], []) }
        var inserts: [(key: [UInt8], record: [UInt8])] = []
        var puts: [(key: RowKey, record: [UInt8])] = []
        var deletes: [(key: [UInt8], record: [UInt8])] = []
        for (key, record) in writes {
            if let record {
                if isNew(key) { inserts.append((key.bytes, record)) } else { puts.append((key, record)) }
            } else {
                deletes.append((key.bytes, []))
            }
        }
        let table = family == .watchers ? nil : Table.of(family)
        let others =
            WriterConnection.calls(table?.delete ?? WatchIndex.delete, deletes, family, hasRecords: false)
            + WriterConnection.calls(table?.insert ?? WatchIndex.insert, inserts, family)
        guard let put = table?.byPlace?.put else {
            let puts = puts.map { (key: $0.key.bytes, record: $0.record) }
            return (others + WriterConnection.calls(table?.put ?? WatchIndex.put, puts, family), [])
        }
        let byPlace = stride(from: 0, to: puts.count, by: WriterConnection.rowsAtOnce).map { start in
            let some = puts[start..<min(start + WriterConnection.rowsAtOnce, puts.count)]
            let parameters: [Parameter] = [
                .bytesArray(some.map(\.key.bytes)), .bytesArray(some.map(\.record)),
                .textArray(some.map { places[family, $0.key] }),
            ]
            return (put, parameters)
        }
        return (others, byPlace)
    }

    private static func calls(
        _ statement: Statement, _ rows: [(key: [UInt8], record: [UInt8])], _ family: ColumnFamily,
        hasRecords: Bool = true
    ) -> [(Statement, [Parameter])] {
        stride(from: 0, to: rows.count, by: rowsAtOnce).map { start in
            let some = rows[start..<min(start + rowsAtOnce, rows.count)]
            guard family != .watchers else { return (statement, WatchIndex.columns(some.lazy.map(\.key))) }
            let keys = Parameter.bytesArray(some.map(\.key))
            guard hasRecords else { return (statement, [keys]) }
            let records = Parameter.bytesArray(some.map(\.record))
            guard Table.of(family).isByDay else { return (statement, [keys, records]) }
            let slots = some.map { LogSlots.slot(family, key: $0.key, record: $0.record) }
            return (statement, [keys, records, .int16Array(slots)])
        }
    }

    /// Takes the lock that keeps others from opening the store to write; false: it is not to be had.
    private func takeLock() throws(StoreError) -> Bool {
        guard try !tryLock() else { return true }
        // After a lost connection the server may not know yet that this process is not at its other end.
        try endHolder(settings.applicationName)
        // A process that ends leaves its connection behind for a moment.
        for _ in 0..<WriterConnection.lockAttempts {
            if try tryLock() { return true }
            Thread.sleep(forTimeInterval: WriterConnection.lockPause)
        }
        return false
    }

    /// Ends the connection that holds the lock, if it is of the process of this name.
    private func endHolder(_ name: String) throws(StoreError) {
        try checked { () throws(PostgresError) in
            _ = try connection.run([
                (WriterStatements.endHolder, [.int64(WriterStatements.lockKey), .text(name)])
            ])
        }
    }

    /// Ends the connection that holds the lock, whosever it is, if it has been silent for longer than a process takes to open
    /// a store: it was cut off before it had taken over, or was replaced since.
    private func endSilentHolder() throws(StoreError) {
        try checked { () throws(PostgresError) in
            _ = try connection.run([(WriterStatements.endSilentHolder, [.int64(WriterStatements.lockKey)])])
        }
    }

    private func tryLock() throws(StoreError) -> Bool {
        try checked { () throws(PostgresError) in
            try connection.run([(WriterStatements.lock, [.int64(WriterStatements.lockKey)])])[0].bool(0, 0)
        }
    }
}

extension ConnectionSettings {
    /// The application name of the connection by which a process writes.
    func name(of incarnation: [UInt8]) -> String {
        "\(applicationName) \(Hex.encode(Array(incarnation.prefix(4))))"
    }
}
