import Testing
import Tracing

@testable import Spans

@Suite("SpanOrigins")
struct SpanOriginsTests {
    private enum Number: ServiceContextKey { typealias Value = Int }

    private func context(_ number: Int) -> ServiceContext {
        var context = ServiceContext.topLevel
        context[Number.self] = number
        return context
    }

    @Test("as many are remembered as there is room for, and of more the newest", arguments: [1, 2, 5])
    func bounded(capacity: Int) {
        for count in [capacity - 1, capacity, capacity + 1, 3 * capacity + 1] {
            let origins = SpanOrigins<Int>(capacity: capacity)
            for key in 0..<count { origins.remember(context(key), for: key) }
            let kept = (0..<count).filter { origins.origin(of: $0)?[Number.self] == $0 }
            #expect(kept == Array(max(0, count - capacity)..<count), "\(count) into \(capacity)")
            #expect(origins.origin(of: count) == nil)
        }
    }

    @Test("a key that comes again has its newest origin, in its old turn")
    func again() {
        let origins = SpanOrigins<Int>(capacity: 2)
        for (key, number) in [(1, 10), (2, 20), (1, 11)] { origins.remember(context(number), for: key) }
        #expect(origins.origin(of: 1)?[Number.self] == 11 && origins.origin(of: 2)?[Number.self] == 20)
        origins.remember(context(30), for: 3)
        #expect(origins.origin(of: 1) == nil && origins.origin(of: 2) != nil && origins.origin(of: 3) != nil)
    }
}
