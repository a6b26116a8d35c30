import KaspaNode
import Testing

@Suite("FailureCount")
struct FailureCountTests {
    @Test("the third failure in a row is one too many, and the count begins anew")
    func third() {
        let count = FailureCount(tolerated: 3)
        var verdicts: [Bool] = []
        for _ in 0..<6 { verdicts.append(count.failed()) }
        #expect(verdicts == [false, false, true, false, false, true])
    }

    @Test("a usable answer or another session forgives", arguments: [1, 2])
    func forgiven(failures: Int) {
        let count = FailureCount(tolerated: 3)
        for _ in 0..<failures { _ = count.failed() }
        count.reset()
        var verdicts: [Bool] = []
        for _ in 0..<3 { verdicts.append(count.failed()) }
        #expect(verdicts == [false, false, true])
    }
}
