import KasiaProtocol
import Kaspa
import KaspadReplay
import Testing

@Suite("An oracle in lines")
struct GenerationOracleLinesTests {
    @Test("There is a line for each operation, and it says what the oracle knows")
    func lines() throws {
        var oracle = GenerationOracle()
        for entry in RecordingGenerator(RecordingGeneratorTests.wild(11)) { oracle.observe(entry) }
        let rows = oracle.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        #expect(rows.first == ["tx_id", "kind", "sender", "receiver", "accepting_block", "acceptances"])
        #expect(rows.last == [""])
        let operations = rows.dropFirst().dropLast()
        #expect(operations.count == oracle.standings.count)
        #expect(operations.map { $0[0] } == oracle.standings.keys.sorted().map(\.description))
        for row in operations {
            let id = try #require(Hash(row[0]))
            let standing = try #require(oracle.standings[id])
            #expect(row[1] == standing.operation.kind.description)
            #expect(row[2] == standing.operation.sender.description)
            #expect(row[3] == standing.operation.receiver?.description ?? "-")
            #expect(row[4] == standing.acceptingBlock?.description ?? "-")
            #expect(row[5] == "\(standing.acceptances)")
        }
        // All cases must really be there.
        #expect(operations.contains { $0[3] == "-" } && operations.contains { $0[3] != "-" })
        #expect(operations.contains { $0[4] == "-" } && operations.contains { $0[4] != "-" })
    }

    @Test("An oracle that has seen nothing has no more than the names")
    func empty() {
        #expect(GenerationOracle().lines.count == 2)
    }
}
