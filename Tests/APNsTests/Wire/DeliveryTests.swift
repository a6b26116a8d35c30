import APNs
import APNsSandbox
import Testing

@Suite("Delivery over the wire", .timeLimit(.minutes(5)))
struct DeliveryTests {
    @Test("what is handed over waits for a provider token and for its turn, and is told of at a stop")
    func handedOver() async throws {
        try await WireFixture.run(client: {
            ($0.connections, $0.streams, $0.drainTimeout) = (1, 1, .milliseconds(100))
        }) { fixture in
            // No token has been minted yet.
            let first = await fixture.client.begun(makeRequest(0)).first { _ in true }
            #expect(first?.isDelivered == true && fixture.storage.saves == 1)
            fixture.sandbox.addRule(SandboxRule(.silence))
            // One on the wire, one that is ready to follow it, and two for which there is no room inside.
            let begun = (1...4).map { fixture.client.begun(makeRequest($0)) }
            await fixture.shutDown()
            var endings: [APNsOutcome?] = []
            for outcomes in begun { endings.append(await outcomes.first { _ in true }) }
            // The first may not have been sent yet.
            #expect(endings[0] == .notSent(.abandoned) || endings[0] == .notSent(.shuttingDown))
            #expect(endings.dropFirst() == [.notSent(.shuttingDown), .notSent(.shuttingDown), .notSent(.shuttingDown)])
            let late = await fixture.client.begun(makeRequest(9)).first { _ in true }
            #expect(late == .notSent(.shuttingDown))
        }
    }

    @Test("what is handed over and cannot be sent is told at once, without a connection")
    func handedOverUnusable() async throws {
        try await WireFixture.run { fixture in
            let limit = APNsRequest.maximumPayloadBytes
            for bytes in [limit - 1, limit, limit + 1] {
                var request = makeRequest(1)
                request.payload = Array(#"{"aps":{"alert":"hello"},"a":""#.utf8)
                request.payload += Array(repeating: UInt8(ascii: "a"), count: bytes - request.payload.count - 2)
                request.payload += Array(#""}"#.utf8)
                // Apple's own limit is lower: what it refuses is told here, too.
                let outcome = await fixture.client.begun(request).first { _ in true }
                #expect(outcome == .payloadTooLarge)
                #expect(fixture.sandbox.counts.requests == min(2, bytes - limit + 2))
            }
            var request = makeRequest(1)
            request.deviceToken = "../3"
            let outcome = await fixture.client.begun(request).first { _ in true }
            #expect(outcome == .notSent(.invalidRequest(field: "deviceToken")))
            #expect(fixture.sandbox.counts.requests == 2)
        }
    }

    @Test("puts every header and the body on the wire, once")
    func one() async throws {
        try await WireFixture.run { fixture in
            let request = makeRequest(1, payload: #"{"aps":{"alert":"ä€😀"}}"#)
            #expect(await fixture.client.send(request) == .delivered(apnsID: request.id))
            let received = try #require(fixture.sandbox.requests.first)
            #expect(fixture.sandbox.counts.requests == 1)
            #expect(received.token == request.deviceToken)
            #expect(received.id == request.id)
            #expect(received.collapseID == request.collapseID)
            #expect(received.expiration == request.expiration)
            #expect(received.priority == 10)
            #expect(received.pushType == "alert")
            #expect(received.topic == WireFixture.topic)
            #expect(received.body == request.payload)
        }
    }

    @Test("multiplexes 2,000 over two connections, each exactly once, under one provider token")
    func many() async throws {
        try await WireFixture.run(sandbox: { $0.oneStreamUntilFirstSuccess = true }) { fixture in
            let requests = (0..<2000).map { makeRequest($0) }
            let outcomes = await fixture.send(requests)
            #expect(outcomes == requests.map { .delivered(apnsID: $0.id) })
            let received = fixture.sandbox.notifications
            #expect(received.map(\.token).sorted() == requests.map(\.deviceToken).sorted())
            #expect(Set(received.map(\.connection)).count == 2)
            #expect(fixture.storage.saves == 1)
        }
    }

    @Test("opens nothing before the first send, and one connection for one sender")
    func lazy() async throws {
        try await WireFixture.run { fixture in
            #expect(fixture.sandbox.counts.connections == 0)
            for number in 0..<20 { #expect(await fixture.send([makeRequest(number)]).undelivered == [:]) }
            #expect(fixture.sandbox.counts.connections == 1)
        }
    }

    @Test("sends one request at a time until the first success")
    func proving() async throws {
        try await WireFixture.run(client: { $0.connections = 1 }) { fixture in
            fixture.sandbox.addRule(
                SandboxRule(
                    .answer(SandboxAnswer(status: 400, reason: "BadDeviceToken")), times: 5, delay: .milliseconds(20)))
            let outcomes = await fixture.send((0..<50).map { makeRequest($0) })
            #expect(outcomes.count(where: { $0 == .tokenInvalid(.badDeviceToken) }) == 5)
            #expect(outcomes.count(where: \.isDelivered) == 45)
            // Until the first success, answers came in the order of the streams, one after the other.
            let streams = fixture.sandbox.requests.prefix(6).map(\.stream)
            #expect(streams == streams.sorted())
            #expect(fixture.sandbox.requests.prefix(5).allSatisfy { $0.status == 400 })
        }
    }

    @Test("respects a server's stream limit, also when it falls to one and rises again")
    func streamLimit() async throws {
        try await WireFixture.run(
            sandbox: { $0.maximumStreams = 3 }, client: { $0.connections = 1 }
        ) { fixture in
            #expect(await fixture.send((0..<200).map { makeRequest($0) }).undelivered == [:])
            fixture.sandbox.setMaximumStreams(1)
            #expect(await fixture.send((200..<300).map { makeRequest($0) }).undelivered == [:])
            fixture.sandbox.setMaximumStreams(1000)
            #expect(await fixture.send((300..<800).map { makeRequest($0) }).undelivered == [:])
            #expect(fixture.sandbox.counts.notifications == 800)
        }
    }

    @Test("slows its callers down when it is full, and drops nothing")
    func backpressure() async throws {
        try await WireFixture.run(client: { ($0.connections, $0.streams) = (1, 1) }) { fixture in
            #expect(await fixture.send((0..<100).map { makeRequest($0) }).undelivered == [:])
            #expect(fixture.sandbox.counts.notifications == 100)
        }
    }

    @Test("refuses what cannot go on the wire, and what is far too large, without sending it")
    func unusable() async throws {
        try await WireFixture.run { fixture in
            var request = makeRequest()
            request.collapseID = "a\r\nb"
            #expect(await fixture.client.send(request) == .notSent(.invalidRequest(field: "collapseID")))
            let large = makeRequest(payload: String(repeating: " ", count: APNsRequest.maximumPayloadBytes + 1))
            #expect(await fixture.client.send(large) == .payloadTooLarge)
            #expect(fixture.sandbox.counts.connections == 0)
        }
    }

    @Test("sends up to its limit, and lets Apple judge: 4096 bytes pass, 4097 and an empty one do not")
    func sizes() async throws {
        try await WireFixture.run { fixture in
            func payload(_ bytes: Int) -> String {
                let frame = #"{"aps":{"alert":""}}"#
                return #"{"aps":{"alert":"\#(String(repeating: "x", count: bytes - frame.utf8.count))"}}"#
            }
            #expect(await fixture.client.send(makeRequest(1, payload: payload(4096))).isDelivered)
            #expect(await fixture.client.send(makeRequest(2, payload: payload(4097))) == .payloadTooLarge)
            #expect(await fixture.client.send(makeRequest(3, payload: "")) == .requestMistake(.payloadEmpty))
        }
    }
}
