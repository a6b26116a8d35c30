import Testing

@testable import KasiaPushStore

@Suite struct SentStatusTests {
    @Test func `three steps are allowed, and no other`() {
        let allowed = SentStatus.allCases.flatMap { from in
            SentStatus.allCases.filter { from.canBecome($0) }.map { "\(from) \($0)" }
        }
        #expect(allowed == ["broadcast pending", "pending confirmed", "pending failed"])
    }

    static let day: Int64 = 86_400_000

    @Test(arguments: [
        (SentStatus.broadcast, RefreshedStatus.pending, day, [SentStatus.pending]),
        (.broadcast, .accepted, day, [.pending]), (.broadcast, .confirmed, 0, [.pending, .confirmed]),
        (.broadcast, .reverted, day - 1, [.pending]), (.broadcast, .reverted, day, [.pending, .failed]),
        (.broadcast, .unknown, 100 * day, []), (.pending, .pending, day, []), (.pending, .accepted, day, []),
        (.pending, .confirmed, 0, [.confirmed]), (.pending, .reverted, day - 1, []),
        (.pending, .reverted, day, [.failed]), (.pending, .reverted, day + 1, [.failed]),
        (.pending, .unknown, 100 * day, []),
    ])
    func `an answer of the service leads to steps`(
        status: SentStatus, answer: RefreshedStatus, age: Int64, steps: [SentStatus]
    ) {
        #expect(status.steps(after: answer, sentMillisecondsAgo: age) == steps)
    }

    @Test(arguments: [SentStatus.confirmed, .failed], RefreshedStatus.allCases)
    func `what is settled stays`(status: SentStatus, answer: RefreshedStatus) {
        #expect(status.steps(after: answer, sentMillisecondsAgo: .max).isEmpty)
    }
}
