import Testing

@testable import Store

@Suite("What a transaction has written to a family", .rocksDBAlone("both engines have the same"))
struct PendingWritesTests {
    /// Does what it does in a dictionary.
    private struct Model {
        var writes = PendingWrites()
        var values: [[UInt8]: [UInt8]?] = [:]

        mutating func set(_ key: [UInt8], _ value: [UInt8]?) {
            writes.set(RowKey(key), value)
            values.updateValue(value, forKey: key)
        }

        var sortedKeys: [[UInt8]] { values.keys.sorted { $0.lexicographicallyPrecedes($1) } }

        mutating func check(_ keys: [[UInt8]], _ comment: Comment = "") {
            for key in keys { #expect(writes.value(of: key) == values[key], comment) }
            #expect(writes.rows.count == values.count && writes.isEmpty == values.isEmpty, comment)
            #expect(Set(writes.rows.map(\.key.bytes)).count == values.count, comment)
        }

        mutating func checkOrder(_ comment: Comment = "") {
            let rows = writes.ordered()
            #expect(rows.map(\.key.bytes) == sortedKeys, comment)
            #expect(rows.allSatisfy { .some($0.value) == values[$0.key.bytes] }, comment)
        }
    }

    @Test("answers like a dictionary, and in order, whatever the order of the writes")
    func random() {
        let seed = SeededRandom.runSeed
        var random = SeededRandom(seed: seed)
        let comment: Comment = "TEST_SEED=\(seed)"
        for round in 0..<60 {
            var model = Model()
            // Few keys, so that many are written again; or many, so that they are not moved any more.
            let range = [8, 60, 70, 5_000][round % 4]
            func key() -> [UInt8] {
                let number = random.below(range)
                return [UInt8(number >> 8), UInt8(number & 0xff)] + [UInt8](repeating: 7, count: number % 3)
            }
            for step in 0..<300 {
                model.set(key(), random.below(3) == 0 ? nil : [UInt8(step & 0xff)])
                if step % 50 == 0 { model.check((0..<20).map { _ in key() }, comment) }
                if round % 3 == 0, step % 70 == 0 { model.checkOrder(comment) }
                if round % 5 == 0, step % 60 == 0 {
                    let (lower, upper) = (key(), key())
                    let expected = model.sortedKeys.filter {
                        !$0.lexicographicallyPrecedes(lower) && $0.lexicographicallyPrecedes(upper)
                    }
                    #expect(model.writes.rows(from: lower, below: upper).map(\.key.bytes) == expected, comment)
                }
            }
            model.check(model.sortedKeys, comment)
            model.checkOrder(comment)
            model.check(model.sortedKeys, comment)
        }
    }

    @Test("A row before as many as are moved, one more and one less, is found", arguments: [-1, 0, 1])
    func mostMoved(_ more: Int) {
        var model = Model()
        for number in 1...PendingWrites.mostMoved + more { model.set([UInt8(number)], [1]) }
        model.set([0], nil)
        model.set([0, 1], [2])
        model.set([5], nil)
        model.check((0...255).map { [UInt8($0)] } + [[0, 1], []])
        model.checkOrder()
    }
}
