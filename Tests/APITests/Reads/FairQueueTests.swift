import Testing

@testable import API

@Suite("FairQueue")
struct FairQueueTests {
    /// The next ones, at most `count`.
    private static func next(_ count: Int, of queue: inout FairQueue<String>) -> [String] {
        (0..<count).compactMap { _ in queue.next() }
    }

    @Test("each client in turn gets its oldest; who has much waiting delays nobody but itself")
    func turns() {
        var queue = FairQueue<String>()
        for number in 1...60 { queue.add("a\(number)", for: [1]) }
        queue.add("b1", for: [2])
        queue.add("c1", for: [3])
        queue.add("b2", for: [2])
        #expect(queue.count == 63)
        let first = Self.next(6, of: &queue)
        #expect(first == ["a1", "b1", "c1", "a2", "b2", "a3"])
        let rest = Self.next(58, of: &queue)
        #expect(rest == (4...60).map { "a\($0)" } && queue.count == 0)
        queue.add("b3", for: [2])
        let last = Self.next(2, of: &queue)
        #expect(last == ["b3"])
    }

    @Test("room is made by the client with the most waiting, and by nobody who has no more than the newcomer")
    func removeNewest() {
        var queue = FairQueue<String>()
        for number in 1...3 { queue.add("a\(number)", for: [1]) }
        queue.add("b1", for: [2])
        queue.add("b2", for: [2])
        // Its own are the most; 3 there and 3 here would change nothing; a newcomer has none.
        let removed = [1, 2, 3].map { queue.removeNewest(toAdmit: [$0]) }
        #expect(removed == [nil, nil, "a3"] && queue.count == 4)
        let another = queue.removeNewest(toAdmit: [3])
        let left = Self.next(5, of: &queue)
        #expect(another != nil && left.count == 3 && queue.count == 0)
    }

    @Test("exempt elements are not counted, and never removed")
    func exempt() {
        var queue = FairQueue<String>()
        for number in 1...9 { queue.add("p\(number)", for: [1], isExempt: true) }
        let none = queue.removeNewest(toAdmit: [2])
        #expect(queue.count == 0 && none == nil)
        queue.add("a1", for: [1])
        queue.add("a2", for: [1])
        queue.add("p10", for: [1], isExempt: true)
        #expect(queue.count == 2)
        let newest = queue.removeNewest(toAdmit: [2])
        let left = Self.next(12, of: &queue)
        #expect(newest == "a2" && left == (1...9).map { "p\($0)" } + ["a1", "p10"] && queue.count == 0)
    }
}
