import APNs
import APNsSandbox
import Testing

@Suite("Shutting down", .timeLimit(.minutes(5)))
struct ShutdownTests {
    @Test("finishes what is in flight, hands back the rest, and takes nothing more")
    func drains() async throws {
        try await WireFixture.run(client: { ($0.connections, $0.streams) = (1, 10) }) { fixture in
            #expect(await fixture.send([makeRequest(0)]).undelivered == [:])
            fixture.sandbox.addRule(SandboxRule(.accept, delay: .milliseconds(300), delivered: true))
            let requests = (1...100).map { makeRequest($0) }
            async let sending = fixture.send(requests)
            try await fixture.sandbox.waitForNotifications(count: 11)
            await fixture.shutDown()
            let outcomes = await sending
            let received = Set(fixture.sandbox.notifications.map(\.token))
            for (request, outcome) in zip(requests, outcomes) {
                #expect(outcome.isDelivered == received.contains(request.deviceToken))
                if !outcome.isDelivered { #expect(outcome == .notSent(.shuttingDown)) }
            }
            #expect(outcomes.count(where: \.isDelivered) >= 10)
            #expect(outcomes.contains(.notSent(.shuttingDown)))
            #expect(await fixture.client.send(makeRequest(0)) == .notSent(.shuttingDown))
        }
    }

    @Test("gives up what is not answered in time, and says that it does not know")
    func abandons() async throws {
        try await WireFixture.run(client: { $0.drainTimeout = .milliseconds(100) }) { fixture in
            #expect(await fixture.send([makeRequest(0)]).undelivered == [:])
            fixture.sandbox.addRule(SandboxRule(.silence, delivered: true))
            async let sending = fixture.send([makeRequest(1), makeRequest(2)])
            try await fixture.sandbox.waitForNotifications(count: 2)
            await fixture.shutDown()
            let outcomes = await sending
            #expect(outcomes.contains(.notSent(.abandoned)))
            #expect(outcomes.allSatisfy { $0.label == "not_sent" })
        }
    }

    @Test("calls nothing delivered that was not sent, though no time is left for it")
    func abandonsAtOnce() async throws {
        try await WireFixture.run(client: {
            ($0.connections, $0.streams, $0.drainTimeout) = (1, 10, .zero)
        }) { fixture in
            let requests = (0..<500).map { makeRequest($0) }
            async let sending = fixture.send(requests)
            // Handles that have answered 200 are used again by now.
            try await fixture.sandbox.waitForNotifications(count: 100)
            await fixture.shutDown()
            let outcomes = await sending
            let received = Set(fixture.sandbox.notifications.map(\.token))
            for (request, outcome) in zip(requests, outcomes) {
                if outcome.isDelivered {
                    #expect(received.contains(request.deviceToken))
                } else {
                    #expect(outcome.label == "not_sent")
                }
            }
        }
    }

    @Test("a task that is cancelled while it waits for its turn sends nothing")
    func cancelledWaiting() async throws {
        try await WireFixture.run(client: {
            ($0.connections, $0.streams, $0.drainTimeout) = (1, 1, .milliseconds(100))
        }) { fixture in
            #expect(await fixture.send([makeRequest(0)]).undelivered == [:])
            fixture.sandbox.addRule(SandboxRule(.silence, delivered: true))
            async let filling = fixture.send([makeRequest(1), makeRequest(1)])
            try await fixture.sandbox.waitForNotifications(count: 2)
            let waiting = Task { await fixture.client.send(makeRequest(9)) }
            waiting.cancel()
            let outcome = await waiting.value
            await fixture.shutDown()
            _ = await filling
            #expect(outcome == .notSent(.cancelled) || outcome == .notSent(.shuttingDown))
            #expect(fixture.sandbox.requests.allSatisfy { $0.token != deviceToken(9) })
        }
    }
}
