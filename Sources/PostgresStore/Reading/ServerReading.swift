import Postgres
import Store

/// Reads rows through one connection, and keeps those that it was told will be read.
///
/// What it keeps is right as long as nobody else writes: for the length of one transaction or one read.
final class ServerReading: StoreReading {
    /// Rows of a scan's first question, and of each later one at most.
    private static let (firstStretch, longestStretch) = (128, 4_096)

    private let connection: Connection
    /// Rows of the committed state; nil for a reading of another moment.
    private let cache: RowCache?
    /// Where rows stand that the writer reads and writes again and again; nil for others.
    private let places: RowPlaces?
    /// nil: known not to be there.
    private var known = [[RowKey: [UInt8]?]](repeating: [:], count: ColumnFamily.allCases.count)
    private var stretches: [StretchStart: Stretch] = [:]

    private struct StretchStart: Hashable {
        var family: ColumnFamily
        var lower: RowKey
    }

    private struct Stretch {
        var upper: [UInt8]
        var rows: [(key: [UInt8], record: [UInt8])]
        /// Whether there are no others below `upper`.
        var isWhole: Bool
    }

    init(_ connection: Connection, cache: RowCache?, places: RowPlaces? = nil) {
        self.connection = connection
        self.cache = cache
        self.places = places
    }

    func get(_ family: ColumnFamily, _ key: [UInt8]) throws(StoreError) -> [UInt8]? {
        if let cache {
            if family == .meta { return cache.meta(key) }
            if let row = cache.get(family, key) { return row }
        }
        let rowKey = RowKey(key)
        if let row = known[family.index][rowKey] { return row }
        let answer = try ask([ServerReading.question([key], in: family)])[0]
        let found = FetchedRows(answer, of: family)
        let row = found.count > 0 ? found.record(0) : nil
        known[family.index].updateValue(row, forKey: rowKey)
        return row
    }

    /// Whether a row was seen here: one that was not may be there all the same.
    func hasSeen(_ family: ColumnFamily, _ key: RowKey) -> Bool {
        if let row = known[family.index][key] { return row != nil }
        return family == .meta ? cache?.meta(key.bytes) != nil : cache?.get(family, key.bytes) != nil
    }

    func scan(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int?,
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var lower = lower
        if let stretch = stretches[StretchStart(family: family, lower: RowKey(lower))] {
            for (key, record) in stretch.rows {
                guard KeyBytes.precedes(key, upper) else { return }
                guard try lend(key, record, body) else { return }
            }
            if stretch.isWhole, !KeyBytes.precedes(stretch.upper, upper) { return }
            if let last = stretch.rows.last?.key { lower = last + [0] }
        }
        var most = min(max(limit ?? ServerReading.firstStretch, 1), ServerReading.longestStretch)
        while let question = ServerReading.question(family, from: lower, below: upper, atMost: most) {
            let found = FetchedRows(try ask([question])[0], of: family)
            guard try found.lend(body), found.count == most else { return }
            lower = found.key(found.count - 1) + [0]
            most = min(4 * most, ServerReading.longestStretch)
        }
    }

    func scanBackwards(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int?,
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var upper = upper
        var most = min(max(limit ?? ServerReading.firstStretch, 1), ServerReading.longestStretch)
        let table = Table.of(family)
        while true {
            let answer = try ask([(table.rangeBackwards, [.bytes(lower), .bytes(upper), .int64(Int64(most))])])[0]
            let found = FetchedRows(answer, of: family)
            guard try found.lend(body), found.count == most else { return }
            upper = found.key(found.count - 1)
            most = min(4 * most, ServerReading.longestStretch)
        }
    }

    func isWatched(_ keys: [WatchKey]) throws(StoreError) -> [Bool] {
        guard !keys.isEmpty else { return [] }
        let answer = try ask([(WatchIndex.watched, [.uuidArray(keys.map(WatchIndex.subject))])])[0]
        var found = [Bool](repeating: false, count: keys.count)
        for row in 0..<answer.count {
            found[Int(try checked { () throws(PostgresError) in try answer.int64(row, 0) }) - 1] = true
        }
        return found
    }

    func watchIndexKey(_ key: WatchKey) -> [UInt8] { WatchIndex.subject(key) }

    func willRead(_ rows: () throws(StoreError) -> RowsAhead) throws(StoreError) {
        let ahead = try rows()
        var keys: [ColumnFamily: Set<RowKey>] = [:]
        for (family, key) in ahead.keys where !isKnown(family, key) { keys[family, default: []].insert(RowKey(key)) }
        var ranges: [ColumnFamily: [RowsAhead.Range]] = [:]
        for range in ahead.ranges
        where range.limit > 0 && stretches[StretchStart(family: range.family, lower: RowKey(range.lower))] == nil {
            ranges[range.family, default: []].append(range)
        }
        let (keyFamilies, rangeFamilies) = (Array(keys.keys), Array(ranges.keys))
        guard !keyFamilies.isEmpty || !rangeFamilies.isEmpty else { return }
        let answers = try ask(
            keyFamilies.map { question(Array(keys[$0, default: []]), in: $0) }
                + rangeFamilies.map { ServerReading.question(ranges[$0, default: []], in: $0) })
        for (family, answer) in zip(keyFamilies, answers) {
            for key in keys[family, default: []] { known[family.index].updateValue(nil, forKey: key) }
            let found = FetchedRows(answer, of: family)
            for row in 0..<found.count { known[family.index][RowKey(found.key(row))] = found.record(row) }
            if let places, RowPlaces.families.contains(family) {
                try checked { () throws(PostgresError) in try places.note(answer, of: family, column: 2) }
            }
        }
        for (family, answer) in zip(rangeFamilies, answers.dropFirst(keyFamilies.count)) {
            try keep(answer, ranges[family, default: []], of: family)
        }
    }

    private func isKnown(_ family: ColumnFamily, _ key: [UInt8]) -> Bool {
        if let cache, family == .meta || cache.get(family, key) != nil { return true }
        return known[family.index][RowKey(key)] != nil
    }

    private func keep(_ answer: Rows, _ ranges: [RowsAhead.Range], of family: ColumnFamily) throws(StoreError) {
        var found = ranges.map { _ in [(key: [UInt8], record: [UInt8])]() }
        let rows = FetchedRows(answer, of: family, column: 1)
        for row in 0..<answer.count {
            let number = try checked { () throws(PostgresError) in try answer.int64(row, 0) }
            found[Int(number) - 1].append((rows.key(row), rows.record(row)))
        }
        for (range, rows) in zip(ranges, found) {
            stretches[StretchStart(family: family, lower: RowKey(range.lower))] = Stretch(
                upper: range.upper, rows: rows, isWhole: rows.count < range.limit)
        }
    }

    private func lend(
        _ key: [UInt8], _ record: [UInt8], _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        var outcome: Result<Bool, StoreError> = .success(false)
        key.withUnsafeBytes { key in
            record.withUnsafeBytes { record in
                outcome = Result { () throws(StoreError) in try body(Row(key: key, value: record)) }
            }
        }
        return try outcome.get()
    }

    private func ask(_ questions: [(Statement, [Parameter])]) throws(StoreError) -> [Rows] {
        try checked { () throws(PostgresError) in try connection.run(questions) }
    }
}

/// What is asked of a table.
extension ServerReading {
    /// The rows under these keys, by place where places are kept.
    private func question(_ keys: [RowKey], in family: ColumnFamily) -> (Statement, [Parameter]) {
        guard let places, family != .watchers, let byPlace = Table.of(family).byPlace else {
            return ServerReading.question(keys.map(\.bytes), in: family)
        }
        return (byPlace.rows, [.bytesArray(keys.map(\.bytes)), .textArray(keys.map { places[family, $0] })])
    }

    private static func question(_ keys: [[UInt8]], in family: ColumnFamily) -> (Statement, [Parameter]) {
        family == .watchers
            ? (WatchIndex.rows, WatchIndex.columns(keys)) : (Table.of(family).rows, [.bytesArray(keys)])
    }

    /// nil: nothing can be between the two.
    private static func question(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int
    ) -> (Statement, [Parameter])? {
        guard family == .watchers else {
            return (Table.of(family).range, [.bytes(lower), .bytes(upper), .int64(Int64(limit))])
        }
        guard let first = WatchIndex.first(notBelow: lower), let last = WatchIndex.last(below: upper),
            !KeyBytes.precedes(last, first)
        else { return nil }
        func halves(_ key: [UInt8]) -> [Parameter] {
            [.uuid(Array(key.prefix(WatchIndex.subjectBytes))), .uuid(Array(key.dropFirst(WatchIndex.subjectBytes)))]
        }
        return (WatchIndex.range, halves(first) + halves(last) + [.int64(Int64(limit))])
    }

    private static func question(
        _ ranges: [RowsAhead.Range], in family: ColumnFamily
    ) -> (Statement, [Parameter]) {
        guard family != .watchers else {
            let first = ranges.map { WatchIndex.first(notBelow: $0.lower) ?? WatchIndex.greatest }
            let last = ranges.map { WatchIndex.last(below: $0.upper) ?? WatchIndex.least }
            return (
                WatchIndex.ranges,
                WatchIndex.columns(first) + WatchIndex.columns(last)
                    + [.int64Array(ranges.map { Int64(clamping: $0.limit) })]
            )
        }
        return (
            Table.of(family).ranges,
            [
                .bytesArray(ranges.map(\.lower)), .bytesArray(ranges.map(\.upper)),
                .int64Array(ranges.map { Int64(clamping: $0.limit) }),
            ]
        )
    }
}
