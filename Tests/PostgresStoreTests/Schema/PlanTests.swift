import Foundation
import Postgres
import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

/// A plan is kept from when a table was empty: it must be the one that is good when the table is full.
@Suite("Plans", .timeLimit(.minutes(10)))
struct PlanTests {
    /// Rows of each of the large families.
    private static let many = 1_000_000
    private static let large: [ColumnFamily] = [.operations, .deliveryLog, .deviceStates, .watchers]

    private static let allowed: Set = [
        "Index Scan", "Index Only Scan", "Limit", "Nested Loop", "Function Scan", "Subquery Scan", "Result",
        "ModifyTable",
        // Of rows at known places, and of the few that a statement was given.
        "Tid Scan", "CTE Scan", "Append",
        // Of the log's partitions.
        "Merge Append",
    ]

    /// A step of a plan, and what it looks for in an index.
    private struct Step: Decodable, Equatable {
        var type: String
        var relation: String?
        var index: String?
        var condition: String?
        var place: String?
        var steps: [Step]?

        enum CodingKeys: String, CodingKey {
            case type = "Node Type"
            case relation = "Relation Name"
            case index = "Index Name"
            case condition = "Index Cond"
            case place = "TID Cond"
            case steps = "Plans"
        }

        var all: [Step] { [self] + (steps ?? []).flatMap(\.all) }
    }

    private struct Explanation: Decodable {
        var plan: Step

        enum CodingKeys: String, CodingKey { case plan = "Plan" }
    }

    /// Every statement on the store's tables, with parameters that do nothing.
    private static let statements: [(Statement, [Parameter])] =
        Table.all.compactMap { $0 }.flatMap { table -> [(Statement, [Parameter])] in
            [
                (table.rows, [.bytesArray([])]),
                (table.range, [.bytes([0]), .bytes([0]), .int64(1)]),
                (table.rangeBackwards, [.bytes([0]), .bytes([0]), .int64(1)]),
                (table.ranges, [.bytesArray([]), .bytesArray([]), .int64Array([])]),
                (table.insert, records + (table.isByDay ? [.int16Array([])] : [])),
                (table.put, records + (table.isByDay ? [.int16Array([])] : [])),
                (table.delete, [.bytesArray([])]),
            ]
                + (table.byPlace.map {
                    [
                        ($0.rows, [.bytesArray([]), .textArray([])]),
                        ($0.put, [.bytesArray([]), .bytesArray([]), .textArray([])]),
                    ]
                } ?? [])
        } + [
            (WatchIndex.rows, columns), (WatchIndex.insert, columns), (WatchIndex.put, columns),
            (WatchIndex.delete, columns),
            (WatchIndex.watched, [.uuidArray([])]),
            (WatchIndex.range, [.uuid(zero), .uuid(zero), .uuid(zero), .uuid(zero), .int64(1)]),
            (WatchIndex.ranges, columns + columns + [.int64Array([])]),
            (WriterStatements.last, []), (WriterStatements.takeOver, [.uuid(zero)]),
            (WriterStatements.takeOverExpired, [.uuid(zero), .uuid(zero), .int64(0)]),
            (WriterStatements.lastHeartbeat, []),
            (WriterStatements.heartbeat, [.uuid(zero), .bool(false)]), (WriterStatements.place, []),
            (LogSlots.youngest, []), (WriterStatements.holdAt, [.uuid(zero), .int64(0), .text("(0,1)")]),
        ]
    private static let records: [Parameter] = [.bytesArray([]), .bytesArray([])]
    private static let columns: [Parameter] = [.uuidArray([]), .uuidArray([])]
    private static let zero = [UInt8](repeating: 0, count: 16)

    @Test("Every statement has one, a walk along an index, however many rows there are")
    func one() throws {
        let bench = try StoreBench()
        _ = try bench.open()
        let names = Set(PlanTests.statements.map(\.0.name))
        let known = Table.all.compactMap { $0 }.flatMap(\.statements) + WatchIndex.statements
        #expect(names.isSuperset(of: known.map(\.name)))
        let empty = try plans(bench)
        for (name, plan) in empty {
            for step in plan.all {
                #expect(PlanTests.allowed.contains(step.type), "\(name): \(step)")
                #expect(step.index == nil || step.condition != nil, "\(name) walks a whole index: \(step)")
                #expect((step.type == "Tid Scan") == (step.place != nil), "\(name): \(step)")
            }
            #expect(
                name.hasSuffix("_put") || name.hasSuffix("_insert")
                    || plan.all.contains { $0.index != nil || $0.place != nil },
                "\(name)")
        }
        try fill(ColumnFamily.allCases, bench, from: 1, to: 1_000)
        compare(try plans(bench), empty, "1,000 rows")
        try fill(PlanTests.large, bench, from: 1_001, to: PlanTests.many)
        compare(try plans(bench), empty, "\(PlanTests.many) rows")
    }

    private func compare(_ plans: [String: Step], _ empty: [String: Step], _ what: Comment) {
        #expect(plans.count == empty.count)
        for (name, plan) in plans { #expect(plan == empty[name], "\(name), \(what)") }
    }

    private func fill(_ families: [ColumnFamily], _ bench: StoreBench, from first: Int, to last: Int) throws {
        let connection = try bench.connect()
        connection.deadline = .seconds(300)
        for family in families {
            let isByDay = family != .watchers && Table.of(family).isByDay
            let (table, rows) = (family.rawValue, "generate_series(\(first), \(last)) i")
            try connection.execute(
                script: family == .watchers
                    ? "insert into watchers select md5((i / 50)::text)::uuid, md5(i::text)::uuid from \(rows)"
                    : """
                    insert into \(table) (\(isByDay ? "slot, " : "")key, record)
                    select \(isByDay ? "i % 10, " : "")sha256(i::text::bytea), convert_to(repeat('r', 100), 'UTF8') from \(rows)
                    """)
            try connection.execute(script: "analyze \(table)")
        }
    }

    /// The plan of each statement, as a connection that now begins keeps it.
    private func plans(_ bench: StoreBench) throws -> [String: Step] {
        let connection = try bench.connect()
        var plans: [String: Step] = [:]
        for (statement, parameters) in PlanTests.statements {
            let answer = Result { try connection.run([(statement, parameters)]) }
            // That is refused, as another process writes, but prepared.
            if statement.name != WriterStatements.holdAt.name { _ = try answer.get() }
            let places = parameters.isEmpty ? "" : "(\(parameters.map { _ in "null" }.joined(separator: ", ")))"
            let text = try connection.query("explain (format json) execute \(statement.name)\(places)", []).text(0, 0)
            plans[statement.name] = try JSONDecoder().decode([Explanation].self, from: Data(text.utf8))[0].plan
        }
        return plans
    }
}
