import KasiaPushClient
import TestRandom
import Testing

@testable import struct KasiaPushClient.ActivityList

@Suite struct ActivityListTests {
    @Test("Items are newest first and once each, equal times by their id")
    func order() {
        var list = ActivityList([.numbered(1, at: 5), .numbered(3, at: 5), .numbered(2, at: 9), .numbered(1, at: 5)])
        #expect(list.items().map(\.amount) == [2, 3, 1])
        list.put(.numbered(1, at: 10))
        list.put(.numbered(4, at: 5))
        list.remove(ActivityItem.numbered(3).id)
        list.remove(ActivityItem.numbered(99).id)
        #expect(list.items().map(\.amount) == [1, 2, 4])
    }

    @Test("A position divides the list")
    func positions() {
        var list = ActivityList([.numbered(1, at: 5), .numbered(3, at: 5), .numbered(2, at: 9)])
        let middle = ActivityItem.numbered(3, at: 5).position
        #expect(list.items(downTo: middle).map(\.amount) == [2, 3])
        #expect(list.items(behind: middle).map(\.amount) == [1])
        #expect(list.items(downTo: nil).map(\.amount) == [2, 3, 1])
        let between = ActivityItem.numbered(9, at: 7).position
        #expect(list.items(downTo: between).map(\.amount) == [2])
        #expect(list.items(behind: ActivityItem.numbered(9, at: 10).position).count == 3)
        #expect(list.items(downTo: ActivityItem.numbered(0, at: 0).position).count == 3)
    }

    @Test("An answer replaces what it covers, but for what changed since")
    func replacement() {
        var list = ActivityList((1...5).map { .numbered($0) })
        list.replace(
            downTo: ActivityItem.numbered(3).position, with: [.numbered(6), .numbered(3, .pending), .numbered(7)],
            newer: [ActivityItem.numbered(5).id, ActivityItem.numbered(7).id])
        #expect(list.items() == [.numbered(6), .numbered(5), .numbered(3, .pending), .numbered(2), .numbered(1)])
        list.replace(
            behind: ActivityItem.numbered(3).position, downTo: ActivityItem.numbered(2).position, with: [], newer: [])
        #expect(list.items().map(\.amount) == [6, 5, 3, 1])
        // A service that answers with what was not asked for harms nothing.
        list.replace(
            behind: ActivityItem.numbered(1).position, downTo: ActivityItem.numbered(6).position,
            with: [.numbered(8)], newer: [])
        #expect(list.items().map(\.amount) == [8, 6, 5, 3, 1])
    }

    @Test("Any changes give the list that a sort gives")
    func anyChanges() {
        var random = SeededRandom()
        var (list, model) = (ActivityList(), [String: ActivityItem]())
        for _ in 0..<2_000 {
            let number = Int.random(in: 0..<50, using: &random)
            let item = ActivityItem.numbered(number, at: .random(in: 0..<9, using: &random))
            if Int.random(in: 0..<3, using: &random) == 0 {
                list.remove(item.id)
                model[item.id] = nil
            } else {
                list.put(item)
                model[item.id] = item
            }
            guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
            let sorted = model.values.sorted { ($1.blockTime, $1.id) < ($0.blockTime, $0.id) }
            #expect(list.items() == sorted, "seed \(random.seed)")
        }
    }

    @Test("Ten thousand changes of ten thousand items take one pass", .timeLimit(.minutes(5)))
    func manyChanges() {
        var list = ActivityList((0..<10_000).map { .numbered($0) })
        let start = ContinuousClock.now
        for number in 0..<10_000 { list.put(.numbered(number, at: 5_000_000, .accepted)) }
        for number in 10_000..<20_000 { list.put(.numbered(number)) }
        #expect(list.items().count == 20_000)
        // A pass for each change would take minutes.
        #expect(ContinuousClock.now - start < .seconds(5))
    }
}
