import InMemoryTracing
import Tracing
import Testing

@testable import Spans

@Suite("traced")
struct TracedTests {
    enum Trouble: Error, Equatable { case small }

    struct Named: SpanError {
        let message = "kaspa:qsecret"
        var spanErrorType: String { "named" }
    }

    @Test("a span lasts as long as its operation, inside the one around it, and gives back what the operation does")
    func nests() async throws {
        let tracer = InMemoryTracer()
        let sum = await withTracer(tracer) {
            await traced("outer", kind: .server) { outer in
                outer.describe { $0[.attempt] = 2 }
                let left = await traced("first") { _ in
                    await Task.yield()
                    return 1
                }
                let right = traced("second", kind: .client) { _ in 2 }
                return left + right
            }
        }
        #expect(sum == 3 && tracer.activeSpans.isEmpty)
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["first", "second", "outer"])
        #expect(spans.map(\.kind) == [.internal, .client, .server])
        let outer = try #require(spans.last)
        #expect(spans.map(\.parentSpanID) == [outer.spanID, outer.spanID, nil])
        #expect(outer.attributes.get("kasia.push.attempt") == 2 && outer.attributes.count == 1)
        #expect(spans.allSatisfy { $0.status == nil })
    }

    @Test("a parent and a time can be given, as for what was begun elsewhere")
    func given() async throws {
        let tracer = InMemoryTracer()
        let start = DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 5)
        await withTracer(tracer) {
            let origin = traced("origin") { $0.context }
            await traced("around") { _ in
                await Task.yield()
                traced("late", under: origin, from: start) { _ in }
            }
        }
        let spans = Dictionary(uniqueKeysWithValues: tracer.finishedSpans.map { ($0.operationName, $0) })
        let late = try #require(spans["late"])
        #expect(late.parentSpanID == spans["origin"]?.spanID && late.traceID == spans["origin"]?.traceID)
        #expect(late.startInstant.nanosecondsSinceEpoch == 5)
        #expect(spans["around"]?.startInstant.nanosecondsSinceEpoch ?? 0 > 5)
    }

    @Test("an error keeps its type, and the span tells its kind and not its text")
    func errors() async throws {
        let tracer = InMemoryTracer()
        await withTracer(tracer) {
            do throws(Trouble) {
                try await traced("async") { (_) async throws(Trouble) in
                    await Task.yield()
                    throw .small
                }
            } catch {
                #expect(error == .small)
            }
            do throws(Trouble) {
                try traced("sync") { (_) throws(Trouble) in throw .small }
            } catch {
                #expect(error == .small)
            }
            do {
                try traced("named") { _ in throw Named() }
            } catch {
                #expect(error is Named)
            }
        }
        let spans = tracer.finishedSpans
        #expect(spans.map { $0.attributes.get("error.type") } == ["Trouble", "Trouble", "named"])
        #expect(spans.allSatisfy { $0.status == SpanStatus(code: .error) && $0.errors.isEmpty && $0.events.isEmpty })
    }

    @Test("without a tracer nothing is built, bound or linked")
    func nothing() async {
        await traced("nobody reads this") { span in
            await Task.yield()
            span.describe { _ in Issue.record("attributes were built") }
            span.failed(Self.unwanted("a reason was built", ""))
            span.follows(Self.unwanted("an origin was looked for", nil))
            #expect(!span.isRecording && ServiceContext.current == nil)
        }
    }

    private static func unwanted<Value>(_ what: Comment, _ value: Value) -> Value {
        Issue.record(what)
        return value
    }

    @Test("a caller's decision not to record reaches what is inside")
    func unsampled() async {
        var context = ServiceContext.topLevel
        context[Unsampled.self] = true
        await traced("outer", under: context) { span in
            await Task.yield()
            #expect(!span.isRecording && ServiceContext.current?[Unsampled.self] == true)
        }
        traced("outer", under: context) { _ in #expect(ServiceContext.current?[Unsampled.self] == true) }
    }

    private enum Unsampled: ServiceContextKey { typealias Value = Bool }

    @Test("a link leads to the origin, if there is one")
    func links() throws {
        let tracer = InMemoryTracer()
        withTracer(tracer) {
            let origin = traced("origin") { $0.context }
            traced("linked") { $0.follows(origin) }
            traced("unlinked") { $0.follows(nil) }
        }
        let spans = tracer.finishedSpans
        #expect(spans.map(\.links.count) == [0, 1, 0])
        #expect(spans[1].links.first?.context.inMemorySpanContext == spans[0].spanContext)
        #expect(spans[1].traceID != spans[0].traceID)
    }
}
