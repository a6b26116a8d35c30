import APNs
import APNsSandbox
import InMemoryTracing
import RecordedSpans
import Spans
import Testing
import Tracing

@Suite("Spans of requests to Apple", .timeLimit(.minutes(5)))
struct RequestSpanTests {
    private static let name = "POST /3/device/{token}"

    /// The spans of one send to a sandbox that follows the rules.
    private func spans(_ rules: SandboxRule...) async throws -> (APNsOutcome, [FinishedInMemorySpan]) {
        let tracer = InMemoryTracer()
        var outcome: APNsOutcome?
        try await WireFixture.run { fixture in
            for rule in rules { fixture.sandbox.addRule(rule) }
            outcome = await withTracer(tracer) { await fixture.client.send(makeRequest(1)) }
            let port = try #require(Int(fixture.sandbox.origin.split(separator: ":").last ?? ""))
            for span in tracer.finishedSpans {
                #expect(span.operationName == Self.name && span.kind == .client)
                #expect(span[.httpMethod] == "POST" && span[.urlScheme] == "https" && span[.protocolVersion] == "2")
                #expect(span[.urlTemplate] == "/3/device/{token}" && span[.serverPort] == .int64(Int64(port)))
                #expect(span[.serverAddress] != nil)
                #expect(!"\(span)".contains(deviceToken(1)) && !"\(span)".contains(makeRequest(1).id))
            }
        }
        return (try #require(outcome), tracer.finishedSpans)
    }

    @Test("a success has its status, and no more")
    func success() async throws {
        let (outcome, spans) = try await spans()
        #expect(outcome.isDelivered && spans.count == 1)
        #expect(spans[0][.httpStatus] == 200 && spans[0][.apnsReason] == nil && spans[0][.httpResends] == nil)
        #expect(!spans[0].hasFailed && spans[0][.errorType] == nil)
    }

    @Test(
        "a refusal has status and reason, and has failed; a reason that nobody knows is not repeated",
        arguments: [
            (400, "BadDeviceToken", "BadDeviceToken"), (410, "Unregistered", "Unregistered"),
            (429, "TooManyRequests", "TooManyRequests"), (503, "Shutdown", "Shutdown"), (400, "kaspaqz", "Unknown"),
        ])
    func refusal(status: Int, reason: String, told: String) async throws {
        let (_, spans) = try await spans(SandboxRule(.answer(SandboxAnswer(status: status, reason: reason))))
        #expect(spans.count == 1)
        #expect(spans[0][.httpStatus] == .int64(Int64(status)) && spans[0][.apnsReason] == .string(told))
        #expect(spans[0].hasFailed && spans[0][.errorType] == .string("\(status)"))
    }

    @Test("each request that is sent again has a span of its own, with how many went before")
    func resends() async throws {
        let (outcome, spans) = try await spans(SandboxRule(.resetStream(errorCode: 7), times: 2))
        #expect(outcome.isDelivered)
        #expect(spans.enumerated().allSatisfy { $1[.httpResends] == ($0 == 0 ? nil : .int64(Int64($0))) })
        // One that was given to a connection just before its end was not sent, and goes to the next.
        let sent = spans.filter { $0[.errorType] != "handed_back" }
        #expect(sent.map { $0[.errorType] } == ["goaway_unprocessed", "goaway_unprocessed", nil])
        #expect(sent.map { $0[.httpStatus] } == [nil, nil, 200])
    }

    @Test("what never goes on the wire has none")
    func unsent() async throws {
        let tracer = InMemoryTracer()
        try await WireFixture.run { fixture in
            var request = makeRequest(1)
            request.deviceToken = "a/b"
            let outcome = await withTracer(tracer) { await fixture.client.send(request) }
            #expect(outcome == .notSent(.invalidRequest(field: "deviceToken")))
        }
        #expect(tracer.finishedSpans.isEmpty)
    }
}
