import Testing

@testable import KaspaNode

@Suite struct RequestTableTests {
    private typealias Table = RequestTable<String>

    @Test("Answers find their waiters in any order, each once")
    func outOfOrder() {
        var table = Table(limit: 10)
        #expect(["a", "b", "c"].map { table.admit($0) } == [.admitted(1), .admitted(2), .admitted(3)])
        #expect(table.take(3) == "c")
        #expect(table.take(1) == "a")
        #expect(table.take(3) == nil)
        #expect(table.take(2) == "b")
        #expect(table.count == 0)
    }

    @Test("The last place is given and not one more, until one is free again")
    func limit() {
        var table = Table(limit: 3)
        #expect((1...4).map { table.admit("\($0)") } == [.admitted(1), .admitted(2), .admitted(3), .full])
        #expect(table.take(2) == "2")
        #expect(table.admit("5") == .admitted(4))
        #expect(table.admit("6") == .full)
    }

    @Test("An id is never given twice, so a late answer finds nobody")
    func lateAnswer() {
        var table = Table(limit: 1)
        #expect(table.admit("gave up") == .admitted(1))
        #expect(table.take(1) == "gave up")
        #expect(table.admit("next") == .admitted(2))
        #expect(table.take(1) == nil)
        #expect(table.take(0) == nil)
        #expect(table.take(.max) == nil)
    }

    @Test("A closed table gives out who waits, once, and refuses with its first reason")
    func close() {
        var table = Table(limit: 3)
        _ = table.admit("a")
        _ = table.admit("b")
        let error = NodeError(.transport, "gone")
        #expect(Set(table.close(error)) == ["a", "b"])
        #expect(table.close(NodeError(.timeout, "later")).isEmpty)
        #expect(table.admit("c") == .closed(error))
        #expect(table.take(1) == nil)
    }
}
