import APNsSandbox
import Foundation
import InMemoryTracing
import Kaspa
import KaspadReplay
import RecordedSpans
import Spans
import Store
import Testing
import Tracing

/// The real services under a tracer of the test's own, between the replay node and the sandbox.
@Suite("Traces")
struct TraceTests {
    @Test(
        "lead from the node's answer to each request to Apple, and name no device, address, alias or payload",
        .timeLimit(.minutes(5)))
    func wholePath() async throws {
        let golden = try Fixture.goldenNotifications()
        let recording = try Fixture.recording()
        let now = RecordedTimes(recording).end
        let dead = try #require(golden.devices.first { $0.name == "alice-tablet" })
        let tracer = InMemoryTracer()
        try await World.with(recording) { world in
            world.replay.setFaults { $0.isSynced = false }
            await world.replay.advanceToEnd()
            let answer = SandboxAnswer(status: 410, reason: "Unregistered", timestampMilliseconds: now + 1)
            world.sandbox.addRule(SandboxRule(.answer(answer), token: dead.token))
            try await withTracer(tracer) {
                try await world.withIndexer(now: { now }) { indexer in
                    for device in golden.devices { try await indexer.rest.register(device.registration) }
                    let refusal = try await indexer.rest.send("POST", "/v1/push/register", Data("{}".utf8))
                    #expect(refusal.status == 400)
                    world.replay.setFaults { $0.isSynced = true }
                    try await indexer.untilQuiet(at: ReplayedChain(recording, entries: world.replay.entryCount).sink)
                }
            }
            let trace = RecordedTrace(tracer)
            try expectChain(trace)
            try expectDeliveries(trace, of: world.sandbox.requests, dead: dead.token)
            expectRequests(trace, registrations: golden.devices.count)
            expectImpersonal(trace, golden, world.sandbox.requests)
        }
        #expect(tracer.activeSpans.isEmpty, "\(tracer.activeSpans.map(\.operationName))")
    }

    @Test("after a restart a delivery is traced without a link", .timeLimit(.minutes(5)))
    func restarted() async throws {
        let golden = try Fixture.goldenNotifications()
        let recording = try Fixture.recording()
        let now = RecordedTimes(recording).end
        let tracer = InMemoryTracer()
        try await World.with(recording) { world in
            world.replay.setFaults { $0.isSynced = false }
            await world.replay.advanceToEnd()
            let sink = try ReplayedChain(recording, entries: world.replay.entryCount).sink
            world.sandbox.addRule(SandboxRule(.answer(SandboxAnswer(status: 503, reason: "ServiceUnavailable"))))
            try await world.withIndexer(now: { now }) { indexer in
                for device in golden.devices { try await indexer.rest.register(device.registration) }
                world.replay.setFaults { $0.isSynced = true }
                try await eventually("all is refused once") {
                    let totals = try await indexer.store.totals()
                    return try await indexer.store.history.cursor()?.blockHash == sink && totals.events == 0
                        && totals.deliveries == UInt64(golden.notifications.count)
                }
            }
            world.sandbox.removeAllRules()
            world.sandbox.forgetNotifications()
            try await withTracer(tracer) {
                try await world.withIndexer(now: { now + 3_600_000 }) { try await $0.untilQuiet(at: sink) }
            }
            let deliveries = tracer.spans(SpanName.delivery)
            #expect(deliveries.count == golden.notifications.count)
            #expect(deliveries.allSatisfy { $0.links.isEmpty && $0[.outcome] == "delivered" })
            #expect(tracer.spans(SpanName.chainStep).isEmpty)
        }
    }

    /// Each answer that brought something: the question to the node, its reading, its writing.
    private func expectChain(_ trace: RecordedTrace) throws {
        let steps = trace.spans(SpanName.chainStep)
        #expect(!steps.isEmpty)
        for step in steps {
            let fetch = try #require(trace.parent(of: step))
            #expect(fetch.operationName == SpanName.chainFetch && fetch.parentSpanID == nil)
            let questions = trace.children(of: fetch).filter { $0.kind == .client }
            #expect(!questions.isEmpty)
            for question in questions {
                #expect(question.operationName == "protowire.RPC/GetVirtualChainFromBlockV2")
                #expect(question[.rpcMethod] == "GetVirtualChainFromBlockV2" && question[.rpcSystem] == "grpc")
                #expect(question[.serverAddress] == "127.0.0.1" && !question.hasFailed)
            }
            let names = trace.children(of: step).map(\.operationName)
            #expect(names.sorted() == [SpanName.chainBuild, SpanName.chainWrite])
        }
        let events = trace.spans(SpanName.chainWrite).reduce(0) { $0 + ($1.number(.events) ?? 0) }
        #expect(events > 0 && Set(trace.spans(SpanName.fanOut).compactMap { $0[.transaction]?.text }).count == events)
    }

    /// Each request that Apple saw: its own span, in that of the attempt, which links to the step that accepted it.
    private func expectDeliveries(
        _ trace: RecordedTrace, of requests: [ReceivedNotification], dead: String
    ) throws {
        let deliveries = trace.spans(SpanName.delivery)
        #expect(deliveries.count == requests.count)
        let told = deliveries.map { $0[.transaction]?.text ?? "" }
        #expect(told.sorted() == requests.compactMap(\.collapseID).sorted())
        let steps = Set(trace.spans(SpanName.chainStep).map(\.spanContext))
        for span in deliveries + trace.spans(SpanName.fanOut) {
            #expect(span.parentSpanID == nil && span.links.count == 1)
            #expect(span.links.compactMap(\.context.inMemorySpanContext).allSatisfy(steps.contains))
        }
        for delivery in deliveries {
            let requests = trace.children(of: delivery)
            #expect(requests.map(\.operationName) == ["POST /3/device/{token}"])
            #expect(delivery[.attempt] == 1)
            #expect(requests.first?[.httpStatus] == (delivery.hasFailed ? 410 : 200))
        }
        let failed = deliveries.filter(\.hasFailed)
        #expect(failed.count == requests.count { $0.token == dead } && !failed.isEmpty)
        for delivery in failed {
            #expect(delivery[.outcome] == "token_gone" && delivery[.errorType] == "Unregistered")
            let request = try #require(trace.children(of: delivery).first)
            #expect(request.hasFailed && request[.apnsReason] == "Unregistered" && request[.errorType] == "410")
        }
    }

    private func expectRequests(_ trace: RecordedTrace, registrations: Int) {
        let spans = trace.spans("POST /v1/push/register")
        #expect(spans.count == registrations + 1)
        #expect(spans.count { $0[.httpStatus] == 200 } == registrations)
        #expect(spans.count { $0[.httpStatus] == 400 && !$0.hasFailed } == 1)
        let ids = spans.compactMap { $0[.requestID]?.text }
        #expect(Set(ids).count == spans.count)
        for span in spans {
            #expect(span.kind == .server && span[.httpRoute] == "/v1/push/register" && span[.httpMethod] == "POST")
        }
    }

    /// Looks for everything that devices registered and Apple was sent.
    private func expectImpersonal(
        _ trace: RecordedTrace, _ golden: GoldenNotifications, _ requests: [ReceivedNotification]
    ) {
        let known = Set(SpanKey.allCases.map(\.rawValue))
        for span in trace.all { #expect(span.attributeNames.isSubset(of: known)) }
        let told = trace.all.map { "\($0)" }.joined(separator: "\n")
        var secrets: Set<String> = []
        for device in golden.devices {
            let registration = String(decoding: device.registration, as: UTF8.self)
            secrets.formUnion(registration.matches(of: /[0-9a-z:]{12,}/).map { String($0.0) })
        }
        #expect(secrets.contains("20f9260eb781") && secrets.count { $0.hasPrefix("kaspa:") } > 5)
        for request in requests {
            secrets.formUnion([request.token, request.id])
            let body = String(decoding: request.body, as: UTF8.self)
            secrets.formUnion(body.matches(of: /kaspa:[0-9a-z]+/).map { String($0.0) })
            secrets.formUnion(body.matches(of: /"payload":"([^"]+)"/).map { String($0.1) })
        }
        #expect(secrets.count > requests.count && !requests.isEmpty)
        for secret in secrets { #expect(!told.contains(secret), "\(secret) is in a span") }
    }
}

/// What a tracer has recorded, by relation.
private struct RecordedTrace {
    let all: [FinishedInMemorySpan]
    private let byID: [String: FinishedInMemorySpan]
    private let byParent: [String: [FinishedInMemorySpan]]

    init(_ tracer: InMemoryTracer) {
        all = tracer.finishedSpans
        byID = Dictionary(all.map { ($0.spanID, $0) }) { first, _ in first }
        byParent = Dictionary(grouping: all.filter { $0.parentSpanID != nil }) { $0.parentSpanID ?? "" }
    }

    func spans(_ name: String) -> [FinishedInMemorySpan] { all.filter { $0.operationName == name } }
    func parent(of span: FinishedInMemorySpan) -> FinishedInMemorySpan? { span.parentSpanID.flatMap { byID[$0] } }
    func children(of span: FinishedInMemorySpan) -> [FinishedInMemorySpan] {
        byParent[span.spanID] ?? []
    }
}

extension FinishedInMemorySpan {
    fileprivate var attributeNames: Set<String> {
        var names: Set<String> = []
        attributes.forEach { name, _ in names.insert(name) }
        return names
    }

    fileprivate func number(_ key: SpanKey) -> Int? {
        if case .int64(let value) = self[key] { Int(value) } else { nil }
    }
}

extension SpanAttribute {
    fileprivate var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
