import APNs
import HTTP2Client
import InMemoryTracing
import Kaspa
import RecordedSpans
import SampleOperations
import Spans
import Store
import Testing
import Tracing

@testable import Push

@Suite("Spans of deliveries", .timeLimit(.minutes(10)))
struct DeliverySpanTests {
    @Test("each attempt has a span with number, kind, wait and outcome; the first links to where it was accepted")
    func attempts() async throws {
        let tracer = InMemoryTracer()
        let sender = ScriptedSender { request, attempt in
            attempt == 1
                ? .serverUnavailable(.serviceUnavailable, retryAfter: .seconds(30)) : .delivered(apnsID: request.id)
        }
        let bench = try await PushBench(sender: sender)
        try await bench.register(1..<2)
        try await bench.accept(1..<2)
        let step = withTracer(tracer) { traced("step") { $0.context } }
        try await withTracer(tracer) {
            try await bench.run { dispatcher in
                dispatcher.origins.remember(step, for: Samples.hash(1))
                dispatcher.wake()
                try await bench.settled(dispatcher) { $0 == 1 }
                bench.advance(dispatcher, by: .seconds(30))
                try await bench.drained()
            }
        }
        let spans = tracer.spans(SpanName.delivery)
        #expect(spans.map { $0[.attempt] } == [1, 2])
        #expect(spans.map { $0[.outcome] } == ["server_unavailable", "delivered"])
        #expect(spans.map(\.hasFailed) == [true, false])
        #expect(spans.map { $0[.errorType] } == ["ServiceUnavailable", nil])
        #expect(spans.map { $0[.waited] } == [0, 30_000])
        for span in spans {
            #expect(span.kind == .producer && span.parentSpanID == nil)
            #expect(span.traceID != step.inMemorySpanContext?.traceID)
            #expect(span[.pushKind] == "contextual_message" && span[.transaction] == "\(Samples.hash(1))")
            #expect(span.links.map(\.context.inMemorySpanContext) == [step.inMemorySpanContext])
        }
        let fanOut = try #require(tracer.spans(SpanName.fanOut).first)
        #expect(fanOut[.deliveries] == 1 && fanOut[.suppressed] == 0 && fanOut[.isFinished] == true)
        #expect(fanOut[.transaction] == "\(Samples.hash(1))" && fanOut[.pushKind] == "contextual_message")
        #expect(fanOut.links.map(\.context.inMemorySpanContext) == [step.inMemorySpanContext])
    }

    @Test("after a restart there is no link, and all else is the same")
    func unlinked() async throws {
        let tracer = InMemoryTracer()
        let bench = try await PushBench()
        try await bench.register(1..<3)
        try await bench.accept(1..<2)
        try await withTracer(tracer) {
            try await bench.run { dispatcher in
                dispatcher.wake()
                try await bench.drained()
            }
        }
        let spans = tracer.spans(SpanName.delivery)
        #expect(spans.count == 2 && spans.allSatisfy { $0.links.isEmpty && $0[.outcome] == "delivered" })
        #expect(tracer.spans(SpanName.fanOut).first?.links.isEmpty == true)
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test("each step of a long list has a span")
    func steps() async throws {
        let tracer = InMemoryTracer()
        let bench = try await PushBench()
        try await bench.register(1..<(Dispatcher.watchersPerStep + 2))
        try await bench.accept(1..<2)
        try await withTracer(tracer) {
            try await bench.run { dispatcher in
                dispatcher.wake()
                try await bench.drained()
            }
        }
        let spans = tracer.spans(SpanName.fanOut)
        #expect(spans.map { $0[.deliveries] } == [256, 1])
        #expect(spans.map { $0[.isFinished] } == [false, true])
        #expect(tracer.spans(SpanName.delivery).count == 257)
    }

    @Test("nothing that names a device or a person is told")
    func impersonal() async throws {
        let tracer = InMemoryTracer()
        let sender = ScriptedSender { request, attempt in
            attempt == 1 ? .tokenInvalid(.badDeviceToken) : .delivered(apnsID: request.id)
        }
        let bench = try await PushBench(sender: sender)
        try await bench.register(1..<3)
        try await bench.accept(1..<4)
        try await withTracer(tracer) {
            try await bench.run { dispatcher in
                dispatcher.wake()
                try await bench.drained()
            }
        }
        let told = tracer.finishedSpans.map { "\($0)" }.joined()
        #expect(tracer.spans(SpanName.delivery).count == 6 && told.contains("\(Samples.hash(1))"))
        for secret in [String.hex(Samples.token(1)), String.hex(Samples.token(2)), Samples.alice.description] {
            #expect(!told.contains(secret))
        }
        for request in sender.exchanges.map(\.request) { #expect(!told.contains(request.id)) }
    }
}
