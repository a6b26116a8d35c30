import Kaspa
import Testing

@testable import Store

@Suite("The kept iterator of the watch index", .rocksDBAlone("an iterator of RocksDB"))
struct ReusedIteratorTests {
    private let fixture: StoreFixture
    private let kept = ReusedIterator()

    init() throws { fixture = try StoreFixture() }

    private func take() -> ReusedIterator.Loan {
        kept.take { RowIterator(withinPrefixesOf: .watchers, fixture.store.rocksDatabase) }
    }

    private func watchers(_ address: Int) async throws -> [DeviceID] {
        try await fixture.store.registry.watchers(.address(Sample.address(address)), limit: 10)
    }

    @Test("The next look-up gets the iterator of the last, and two at once get two of which one is kept")
    func reuse() {
        let first = take()
        let second = take()
        #expect(first.iterator !== second.iterator)
        kept.giveBack(first)
        kept.giveBack(second)
        let third = take()
        #expect(third.iterator === first.iterator)
        #expect(take().iterator !== second.iterator)
    }

    @Test("Nothing taken before a write, or beside one, is lent after it")
    func writes() {
        let before = take()
        kept.giveBack(before)
        let across = take()
        var beside: ReusedIterator.Loan?
        kept.write {
            let loan = take()
            kept.giveBack(loan)
            #expect(take().iterator !== loan.iterator)
            beside = loan
        }
        kept.giveBack(across)
        if let beside { kept.giveBack(beside) }
        let after = take()
        #expect(after.iterator !== before.iterator && after.iterator !== beside?.iterator)
        kept.giveBack(after)
        #expect(take().iterator === after.iterator)
    }

    @Test("What is kept goes with a write, one that fails, too")
    func failure() {
        let first = take()
        kept.giveBack(first)
        #expect(throws: StoreError.self) {
            try kept.write { () throws(StoreError) in throw StoreError(.inputOutput, "no room") }
        }
        let second = take()
        #expect(second.iterator !== first.iterator)
        kept.giveBack(second)
        #expect(take().iterator === second.iterator)
    }

    @Test("An iterator is used so many times and no more", arguments: [-1, 0, 1])
    func uses(_ more: Int) {
        let first = take()
        kept.giveBack(first)
        var last = first
        for _ in 1..<(ReusedIterator.longestUse + more) {
            last = take()
            kept.giveBack(last)
        }
        #expect((last.iterator === first.iterator) == (more <= 0))
        #expect((take().iterator === first.iterator) == (more < 0))
    }

    @Test("A look-up within a look-up has an iterator of its own")
    func nested() async throws {
        try await fixture.register(Sample.device(1, watching: [Sample.address(1), Sample.address(2)]))
        try await fixture.register(Sample.device(2, watching: [Sample.address(1)]))
        #expect(try await watchers(1).count == 2)
        var found: [Int] = []
        let prefix = WatchKey.address(Sample.address(1)).bytes
        try fixture.store.database.scan(.watchers, prefix: prefix) { (row) throws(StoreError) in
            found.append(
                try fixture.store.database.watchers(.address(Sample.address(2)), after: nil, limit: 10).count)
            return true
        }
        #expect(found == [1, 1])
    }

    @Test("Whoever asks after a registration finds it done, and who asks beside one finds all of it or nothing")
    func freshness() async throws {
        let id = Sample.id(1)
        let fixture = fixture
        for number in 1...100 {
            let isWatched = !number.isMultiple(of: 2)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        for _ in 0..<5 {
                            let found = try await fixture.store.registry.watchers(
                                .address(Sample.address(1)), limit: 10)
                            #expect(found == [id] || found == [])
                            await Task.yield()
                        }
                    }
                }
                try await fixture.register(Sample.device(1, watching: [Sample.address(isWatched ? 1 : 2)]))
                // The others still ask.
                #expect(try await watchers(1) == (isWatched ? [id] : []))
                #expect(try await watchers(2) == (isWatched ? [] : [id]))
                try await group.waitForAll()
            }
            #expect(try await watchers(1) == (isWatched ? [id] : []))
        }
    }
}
