import InMemoryTracing
import Testing
import Tracing

@testable import Spans

@Suite("TracingScope")
struct TracingScopeTests {
    @Test("Where nothing is traced there is no scope, and no span to end")
    func untraced() {
        #expect(TracingScope.current == nil && beginSpan("nothing") == nil)
    }

    @Test("What goes on in another task is inside the span of the moment, for its tracer")
    func elsewhere() async throws {
        let tracer = InMemoryTracer()
        let scope = try #require(withTracer(tracer) { traced("outer") { _ in TracingScope.current } })
        // A task that inherits nothing.
        await Task.detached {
            await scope.run { beginSpan("inner", kind: .client)?.end() }
            #expect(beginSpan("outside") == nil)
        }.value
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["outer", "inner"])
        #expect(spans.last?.parentSpanID == spans.first?.spanID && spans.last?.kind == .client)
    }

    @Test("A span that is ended by hand has inside it what begins around the call")
    func around() throws {
        let tracer = InMemoryTracer()
        try withTracer(tracer) {
            let outer = try #require(beginSpan("outer"))
            let inner = outer.around { beginSpan("inner") }
            beginSpan("beside")?.end()
            outer.end()
            inner?.end()
        }
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["beside", "outer", "inner"])
        #expect(spans.map(\.parentSpanID) == [nil, nil, spans[1].spanID])
        #expect(tracer.activeSpans.isEmpty)
    }
}
