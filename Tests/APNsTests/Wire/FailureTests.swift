import APNs
import APNsSandbox
import HTTP2Client
import Logging
import RecordedLogs
import Testing

@Suite("Failures over the wire", .timeLimit(.minutes(5)))
struct FailureTests {
    @Test("GOAWAY: what was not processed is sent again, nothing is lost, nothing doubled")
    func goAway() async throws {
        try await WireFixture.run(client: { $0.connections = 1 }) { fixture in
            #expect(await fixture.client.send(makeRequest(0)).isDelivered)
            fixture.sandbox.addRule(SandboxRule(.goAway(SandboxGoAway(closesConnection: false)), skip: 50, times: 1))
            let outcomes = await fixture.send((1...300).map { makeRequest($0) })
            #expect(outcomes.undelivered == [:])
            let received = fixture.sandbox.notifications.map(\.token)
            #expect(received.count == 301)
            #expect(Set(received).count == 301)
            #expect(fixture.sandbox.counts.connections >= 2)
        }
    }

    @Test("GOAWAY and an immediate end: each request is delivered, or its loss reported, and none is doubled")
    func goAwayAndClose() async throws {
        try await WireFixture.run(client: { $0.connections = 1 }) { fixture in
            #expect(await fixture.client.send(makeRequest(0)).isDelivered)
            fixture.sandbox.addRule(SandboxRule(.goAway(SandboxGoAway()), skip: 50, times: 1))
            let outcomes = await fixture.send((1...300).map { makeRequest($0) })
            // The end of a connection whose sender still writes can overtake the GOAWAY before it.
            #expect(outcomes.allSatisfy { $0.isDelivered || $0 == .transport(.reset) })
            let received = fixture.sandbox.notifications.map(\.token)
            #expect(Set(received).count == received.count)
            #expect(received.count >= 1 + outcomes.count(where: \.isDelivered))
        }
    }

    @Test("GOAWAY on an idle connection: the next request goes on a fresh one")
    func goAwayIdle() async throws {
        try await WireFixture.run(client: { $0.connections = 1 }) { fixture in
            #expect(await fixture.client.send(makeRequest(0)).isDelivered)
            fixture.sandbox.sendGoAway(SandboxGoAway(lastStream: .all))
            while fixture.sandbox.counts.openConnections > 0 { await Task.yield() }
            for number in 1...5 {
                let outcome = await fixture.client.send(makeRequest(number))
                #expect(outcome.isDelivered, "\(outcome)")
            }
            #expect(fixture.sandbox.counts.connections == 2)
        }
    }

    @Test("a refused stream is sent again at once, and given back after three times")
    func refusedStream() async throws {
        try await WireFixture.run(client: { $0.connections = 1 }) { fixture in
            #expect(await fixture.send([makeRequest(0)]).undelivered == [:])
            fixture.sandbox.addRule(SandboxRule(.resetStream(errorCode: 7), token: deviceToken(1), times: 3))
            #expect(await fixture.send([makeRequest(1)]).undelivered == [:])
            fixture.sandbox.addRule(SandboxRule(.resetStream(errorCode: 7), token: deviceToken(2)))
            #expect(await fixture.client.send(makeRequest(2)) == .transport(.goAwayUnprocessed))
            #expect(fixture.sandbox.requests.count { $0.token == deviceToken(2) } == 4)
        }
    }

    @Test("a reset stream fails alone")
    func resetStream() async throws {
        try await WireFixture.run(client: { $0.connections = 1 }) { fixture in
            #expect(await fixture.send([makeRequest(0)]).undelivered == [:])
            fixture.sandbox.addRule(SandboxRule(.resetStream(errorCode: 2), token: deviceToken(1)))
            let outcomes = await fixture.send((1...50).map { makeRequest($0) })
            #expect(outcomes[0] == .transport(.reset))
            #expect(outcomes.dropFirst().undelivered == [:])
            #expect(fixture.sandbox.counts.connections == 1)
        }
    }

    @Test("a lost connection fails what was on it, once: nothing repeats it in secret")
    func lostConnection() async throws {
        try await WireFixture.run(client: { $0.connections = 1 }) { fixture in
            #expect(await fixture.send([makeRequest(0)]).undelivered == [:])
            fixture.sandbox.addRule(SandboxRule(.closeConnection, token: deviceToken(1), delivered: true))
            #expect(await fixture.client.send(makeRequest(1)) == .transport(.reset))
            #expect(fixture.sandbox.notifications(to: deviceToken(1)).count == 1)
            #expect(await fixture.send([makeRequest(2)]).undelivered == [:])
        }
    }

    @Test("a connection lost under load: each request is either delivered or reported, and none twice")
    func lostUnderLoad() async throws {
        try await WireFixture.run(client: { $0.connections = 2 }) { fixture in
            fixture.sandbox.addRule(SandboxRule(.closeConnection, skip: 200, times: 1))
            let requests = (0..<600).map { makeRequest($0) }
            let outcomes = await fixture.send(requests)
            let received = fixture.sandbox.notifications.map(\.token)
            #expect(Set(received).count == received.count)
            for (request, outcome) in zip(requests, outcomes) {
                if outcome.isDelivered {
                    #expect(received.contains(request.deviceToken))
                } else {
                    #expect(outcome == .transport(.reset))
                }
            }
        }
    }

    @Test("silence: the request times out, its neighbours are answered, and it is sent once")
    func silence() async throws {
        try await WireFixture.run(client: { ($0.connections, $0.firstByteTimeout) = (1, .seconds(20)) }) {
            fixture in
            #expect(await fixture.send([makeRequest(0)]).undelivered == [:])
            fixture.sandbox.addRule(SandboxRule(.silence, token: deviceToken(1)))
            let outcomes = await fixture.send((1...20).map { makeRequest($0) })
            #expect(outcomes[0] == .transport(.timeout))
            #expect(outcomes.dropFirst().undelivered == [:])
            #expect(fixture.sandbox.requests.count { $0.token == deviceToken(1) } <= 1)
            #expect(await fixture.send([makeRequest(30)]).undelivered == [:])
        }
    }

    @Test("a connection that says nothing at all is replaced")
    func deadConnection() async throws {
        try await WireFixture.run(client: { ($0.connections, $0.firstByteTimeout) = (1, .seconds(20)) }) {
            fixture in
            #expect(await fixture.send([makeRequest(0)]).undelivered == [:])
            fixture.sandbox.addRule(SandboxRule(.silence, times: 1))
            #expect(await fixture.client.send(makeRequest(1)) == .transport(.timeout))
            #expect(await fixture.send([makeRequest(2)]).undelivered == [:])
            #expect(fixture.sandbox.counts.connections == 2)
        }
    }

    @Test("a silent server does not keep those who wait from one connection to the next for long")
    func silentServer() async throws {
        try await WireFixture.run(client: {
            ($0.connections, $0.connectTimeout, $0.requestTimeout) = (1, .seconds(5), .milliseconds(500))
        }) { fixture in
            fixture.sandbox.addRule(SandboxRule(.silence))
            let outcomes = await fixture.send((0..<40).map { makeRequest($0) })
            let timeouts = outcomes.count(where: { $0 == .transport(.timeout) })
            #expect(timeouts == outcomes.count)
            // Each connection proves with one request, and ends with it; 20 would be the limit in number.
            #expect(fixture.sandbox.counts.connections < 20)
        }
    }

    @Test("slow refusals do not keep those who wait behind them for long")
    func slowRefusals() async throws {
        try await WireFixture.run(client: {
            ($0.connections, $0.connectTimeout, $0.requestTimeout) = (1, .seconds(5), .seconds(1))
        }) { fixture in
            // One after the other, since none proves the connection: 16 seconds for all of them.
            fixture.sandbox.addRule(
                SandboxRule(
                    .answer(SandboxAnswer(status: 400, reason: "BadDeviceToken")), delay: .milliseconds(400)))
            let outcomes = await fixture.send((0..<40).map { makeRequest($0) })
            #expect(outcomes.contains(.transport(.timeout)))
            #expect(fixture.sandbox.requests.count < 40)
        }
    }

    @Test("a server that never finishes the handshake costs the connect timeout, for all who waited")
    func connectTimeout() async throws {
        try await WireFixture.run(client: { ($0.connections, $0.connectTimeout) = (1, .seconds(5)) }) {
            fixture in
            fixture.sandbox.refuseConnections(SandboxRefusal(for: .seconds(3600), by: .silence))
            let outcomes = await fixture.send((0..<20).map { makeRequest($0) })
            #expect(outcomes.allSatisfy { $0 == .transport(.timeout) })
            fixture.sandbox.refuseConnections(SandboxRefusal(for: .zero))
            let outcome = await fixture.client.send(makeRequest())
            #expect(outcome.isDelivered, "\(outcome)")
        }
    }

    @Test("a TLS alert is a TLS failure")
    func alert() async throws {
        try await WireFixture.run { fixture in
            fixture.sandbox.refuseConnections(SandboxRefusal(for: .seconds(3600), by: .alert))
            let outcome = await fixture.client.send(makeRequest())
            #expect(outcome.label == "transport")
            #expect(outcome.reasonLabel == "tls")
        }
    }

    @Test("a certificate of an authority that is not trusted is a TLS failure, and nothing is sent")
    func wrongAuthority() async throws {
        try await WireFixture.run(client: { $0.certificateAuthorityPath = nil }) { fixture in
            let outcome = await fixture.client.send(makeRequest())
            #expect(outcome == .transport(.tls(code: 60)))
            #expect(fixture.sandbox.counts.requests == 0)
        }
    }

    @Test("an authority's file that is not there is a TLS failure")
    func missingAuthority() async throws {
        try await WireFixture.run(client: { $0.certificateAuthorityPath = "/nonexistent/authority.pem" }) { fixture in
            #expect(await fixture.client.send(makeRequest()) == .transport(.tls(code: 77)))
        }
    }

    @Test("nobody listening is a refusal, for all who waited")
    func refused() async throws {
        let origin = "https://127.0.0.1:\(try await freePort())"
        let logs = RecordedLogs()
        try await WireFixture.run(client: { $0.productionOrigin = origin }, log: logs.logger) { fixture in
            let outcomes = await fixture.send((0..<50).map { makeRequest($0) })
            #expect(outcomes.allSatisfy { $0 == .transport(.refused) })
        }
        let lines = logs.events.filter { $0.message == "APNs connection could not be opened" }.map(\.metadata)
        #expect(lines.count == 1, "one line for all")
        #expect(lines.first?["error.message"] == "connection refused" && lines.first?["apns.origin"] == "\(origin)")
    }

    @Test(
        "a failure is told in words",
        arguments: [
            (TransportFailure.refused, "connection refused"), (.unreachable, "no route to the host"),
            (.reset, "connection reset"), (.timeout, "timed out"), (.dns, "name not found"),
            (.tls(code: 60), "certificate not trusted"),
            (.goAwayUnprocessed, "connection closed before the request was taken"),
            (.notHTTP2, "no HTTP/2 spoken there"), (.other(code: 27), "Out of memory"),
        ])
    func words(failure: TransportFailure, words: String) {
        #expect(failure.words == words)
    }

    @Test("a name without an address is a DNS failure")
    func dns() async throws {
        try await WireFixture.run(client: { $0.productionOrigin = "https://push.invalid" }) { fixture in
            #expect(await fixture.client.send(makeRequest()) == .transport(.dns))
        }
    }

    /// A port on which somebody listened a moment ago.
    private func freePort() async throws -> Int {
        let credentials = SandboxCredentials.generate()
        let sandbox = try APNsSandbox(
            configuration: SandboxConfiguration(credentials: credentials),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await sandbox.start()
        let port = sandbox.boundPort
        await sandbox.stop()
        return port
    }
}
