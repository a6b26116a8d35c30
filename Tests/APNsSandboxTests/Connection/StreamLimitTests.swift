import NIOCore
import Testing

@testable import APNsSandbox

@Suite("The stream limit", .timeLimit(.minutes(5)))
struct StreamLimitTests {
    @Test("starts at one and rises with the first success, as with Apple")
    func risesWithSuccess() async throws {
        try await withSandbox({ ($0.oneStreamUntilFirstSuccess, $0.maximumStreams) = (true, 500) }) { fixture in
            let connection = try await fixture.connect()
            #expect(try await connection.streamLimits(count: 1) == [1])
            #expect(try await connection.send(fixture.push(body: [])).status == 400)
            #expect(try await connection.send(fixture.push()).status == 200)
            #expect(try await connection.streamLimits(count: 2) == [1, 500])
        }
    }

    @Test("changes while connections are open, to one and back, and requests go on")
    func changes() async throws {
        try await withSandbox { fixture in
            let connection = try await fixture.connect()
            #expect(try await connection.streamLimits(count: 1) == [1000])
            fixture.sandbox.addRule(SandboxRule(.accept, times: 50, delay: .milliseconds(20)))
            let open = (0..<50).map { _ in connection.start(fixture.push()) }
            fixture.sandbox.setMaximumStreams(1)
            #expect(try await connection.streamLimits(count: 2) == [1000, 1])
            let queued = (0..<20).map { _ in connection.start(fixture.push()) }
            for response in open + queued { #expect(try await response.get().status == 200) }
            fixture.sandbox.setMaximumStreams(1000)
            #expect(try await connection.streamLimits(count: 3) == [1000, 1, 1000])
            #expect(try await fixture.connect().streamLimits(count: 1) == [1000])
            #expect(fixture.sandbox.counts.notifications == 70)
        }
    }

    @Test("falls to one after refusals in a row, and rises with a success")
    func fallsWithRefusals() {
        var limit = StreamLimit(ceiling: 1000, waitsForSuccess: false, refusalsUntilOne: 3)
        #expect(limit.announced == 1000)
        for expected in [nil, nil, 1, nil] as [Int?] {
            limit.answered(success: false)
            #expect(limit.change() == expected)
        }
        limit.answered(success: true)
        #expect(limit.change() == 1000)
        limit.answered(success: false)
        limit.answered(success: false)
        limit.answered(success: true)
        limit.answered(success: false)
        #expect(limit.change() == nil)
    }

    @Test("is never above its ceiling", arguments: [0, 1, 2])
    func ceiling(ceiling: Int) {
        var limit = StreamLimit(ceiling: ceiling, waitsForSuccess: true, refusalsUntilOne: nil)
        #expect(limit.announced == min(1, ceiling))
        limit.answered(success: true)
        #expect(limit.change() == (ceiling > 1 ? ceiling : nil))
    }
}
