import KaspaNode
import Testing

@Suite("ChainTimeout")
struct ChainTimeoutTests {
    @Test("it doubles from 30 s to ten minutes with each timeout, and an answer brings it back")
    func doubles() {
        var timeout = ChainTimeout()
        for _ in 0..<2 {
            var limits: [Duration] = []
            var verdicts: [Bool] = []
            for _ in 0..<7 {
                let limit = timeout.next
                limits.append(limit)
                verdicts.append(timeout.timedOut(after: limit))
            }
            #expect(limits == [30, 60, 120, 240, 480, 600, 600].map { Duration.seconds($0) })
            #expect(verdicts == [false, false, true, true, true, true, true], "two minutes are long enough")
            timeout.answered()
        }
        #expect(timeout.next == .seconds(30))
    }

    @Test("two questions that time out beside each other count once")
    func beside() {
        var timeout = ChainTimeout()
        for _ in 0..<2 {
            let speaksAgainstNode = timeout.timedOut(after: .seconds(30))
            #expect(!speaksAgainstNode)
        }
        #expect(timeout.next == .seconds(60))
    }
}
