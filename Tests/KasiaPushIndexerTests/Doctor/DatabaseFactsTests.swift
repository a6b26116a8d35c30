import Postgres
import Testing

@testable import KasiaPushIndexer

@Suite("doctor on what a database server says")
struct DatabaseFactsTests {
    /// The findings that are not ok, by their subjects.
    private func complaints(_ change: (inout DatabaseFacts) -> Void) -> [String: Finding.Level] {
        var facts = DatabaseFacts()
        change(&facts)
        for finding in facts.findings { #expect((finding.todo == nil) == (finding.level == .ok), "\(finding)") }
        return Dictionary(
            uniqueKeysWithValues: facts.findings.filter { $0.level != .ok }.map { ($0.subject, $0.level) })
    }

    @Test("a server as the guide wants it has nothing to be complained of")
    func good() {
        #expect(complaints { _ in } == [:])
        #expect(DatabaseFacts().findings.count == 5)
    }

    @Test("numbers are judged at their limits")
    func limits() {
        for (skew, isGood) in [(0, true), (59_999, true), (60_000, true), (60_001, false)] as [(Int64, Bool)] {
            for signed in [skew, -skew] {
                #expect(complaints { $0.skew = signed } == (isGood ? [:] : ["database clock": .warn]))
            }
        }
        for (nap, isGood) in [(4, true), (5, true), (6, false), (60, false)] as [(Int64, Bool)] {
            #expect(complaints { $0.autovacuumNap = nap } == (isGood ? [:] : ["database vacuum": .warn]))
        }
        for (connections, shards, isGood) in [
            (29, 1, false), (30, 1, true), (31, 1, true), (44, 2, false), (45, 2, true), (254, 16, false),
            (255, 16, true),
        ] as [(Int64, Int, Bool)] {
            let found = complaints {
                $0.connections = connections
                $0.shards = shards
            }
            #expect(found == (isGood ? [:] : ["database connections": .warn]))
        }
        for (beyond, isGood) in [(-1, false), (0, true), (1, true)] as [(Int64, Bool)] {
            let expected: [String: Finding.Level] = isGood ? [:] : ["database checkpoints": .warn]
            #expect(complaints { $0.logSize = (6 << 30) + beyond } == expected)
            #expect(complaints { $0.checkpointTimeout = 900 + beyond } == expected)
        }
        #expect(complaints { $0.logSize = .min } == ["database checkpoints": .warn])
    }

    @Test("a server that may lose or show something is said so")
    func switches() {
        #expect(complaints { $0.isSafe = false } == ["database durability": .warn])
        #expect(complaints { $0.autovacuum = false } == ["database vacuum": .warn])
        #expect(complaints { $0.countsRows = false } == ["database vacuum": .warn])
        #expect(complaints { $0.isPrivate = false } == ["database connection": .warn])
    }

    @Test("a standby that commits do not wait for is a warning, one that they wait for in vain a failure")
    func standbys() {
        #expect(complaints { $0.standbys = 1 } == ["database standby": .warn])
        for (count, expected) in [(nil, [:]), (0, ["database standby": .fail]), (1, [:])]
            as [(Int64?, [String: Finding.Level])]
        {
            #expect(
                complaints {
                    $0.synchronousNames = "*"
                    $0.synchronousStandbys = count
                } == expected)
        }
    }

    @Test("who writes is named")
    func writer() {
        var facts = DatabaseFacts()
        facts.writer = .init(name: "kasia-push-indexer 0a1b", address: "10.0.0.7")
        #expect(facts.findings.last?.text == "kasia-push-indexer 0a1b at 10.0.0.7 writes")
    }

    @Test("a version is judged by its first number", arguments: [(130_022, false), (140_000, true), (170_002, true)])
    func version(number: Int, isGood: Bool) {
        #expect(DatabaseCheck.version(number, at: "db").level == (isGood ? .ok : .fail))
    }

    @Test("each reason why a server cannot be used has its advice")
    func advice() {
        let kinds: [PostgresError.Kind] = [
            .connection, .deadline, .server(sqlState: "28P01"), .server(sqlState: "3D000"),
            .server(sqlState: "57P03"), .value,
        ]
        let findings = kinds.map { DatabaseCheck.unreachable(PostgresError($0, "why")) }
        #expect(findings.allSatisfy { $0.level == .fail && $0.text.hasPrefix("why") })
        #expect(Set(findings.compactMap(\.todo)).count == 5)
    }
}
