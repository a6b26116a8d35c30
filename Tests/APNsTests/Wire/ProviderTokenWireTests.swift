import APNs
import APNsSandbox
import Foundation
import Testing

@Suite("The provider token over the wire", .timeLimit(.minutes(5)))
struct ProviderTokenWireTests {
    /// An old token that is still good by its age when loaded.
    private func keepOldToken(in fixture: WireFixture, seconds: Int, now: Int) async throws {
        let issued = Date(timeIntervalSince1970: Double(now - seconds))
        let jwt = try await fixture.credentials.providerToken(issuedAt: issued)
        let probe = MemoryStorage()
        let source = try ProviderTokenSource(
            teamID: fixture.credentials.teamID, keyID: fixture.credentials.keyID,
            privateKeyPEM: fixture.credentials.privateKeyPEM, storage: probe)
        _ = try await source.current()
        var stored = try #require(probe.stored)
        (stored.jwt, stored.issuedAt) = (jwt, UInt64(now - seconds))
        fixture.storage.stored = stored
    }

    @Test("an expired one is renewed once, and everything is delivered on fresh connections")
    func expired() async throws {
        // The server's clock is 40 minutes ahead: a token of 30 minutes is more than an hour old to it.
        let now = Int(Date().timeIntervalSince1970)
        try await WireFixture.run(sandbox: {
            $0.expiredTokenSticksToConnection = true
            $0.limitsProviderTokenUpdates = false
            $0.now = { Date(timeIntervalSinceNow: 40 * 60) }
        }) { fixture in
            try await keepOldToken(in: fixture, seconds: 30 * 60, now: now)
            let outcomes = await fixture.send((0..<100).map { makeRequest($0) })
            #expect(outcomes.undelivered == [:])
            #expect(fixture.storage.saves == 1)
            let refused = fixture.sandbox.requests.filter { $0.reason == "ExpiredProviderToken" }
            let stuck = Set(refused.map(\.connection))
            #expect(!refused.isEmpty)
            #expect(fixture.sandbox.notifications.allSatisfy { !stuck.contains($0.connection) })
        }
    }

    @Test("one that is called expired too early is kept, and the outcome says so")
    func tooEarly() async throws {
        try await WireFixture.run { fixture in
            fixture.sandbox.addRule(
                SandboxRule(.answer(SandboxAnswer(status: 403, reason: "ExpiredProviderToken")), times: 1))
            #expect(await fixture.client.send(makeRequest(1)) == .providerTokenExpired)
            #expect(fixture.storage.saves == 1)
            #expect(await fixture.send([makeRequest(1)]).undelivered == [:])
            #expect(fixture.storage.saves == 1)
            #expect(Set(fixture.sandbox.requests.map(\.connection)).count == 2)
        }
    }

    @Test(
        "one made while the clock was wrong is refused, and replaced as soon as the clock is right",
        arguments: [-7200, 7200])
    func wrongClock(seconds: Int) async throws {
        let clock = FakeClock(wall: Int(Date().timeIntervalSince1970) + seconds)
        try await WireFixture.run(time: clock.time) { fixture in
            #expect(await fixture.client.send(makeRequest(1)) == .providerTokenExpired)
            #expect(fixture.storage.saves == 1)
            clock.jump(-seconds)
            #expect(await fixture.send([makeRequest(1)]).undelivered == [:])
            #expect(fixture.storage.saves == 2)
            #expect(Set(fixture.sandbox.requests.map(\.connection)).count >= 2)
        }
    }

    @Test("one that is called invalid is replaced only if the clock was set, and only once")
    func invalid() async throws {
        let clock = FakeClock(wall: Int(Date().timeIntervalSince1970) - 120)
        try await WireFixture.run(sandbox: { $0.limitsProviderTokenUpdates = false }, time: clock.time) { fixture in
            fixture.sandbox.addRule(
                SandboxRule(.answer(SandboxAnswer(status: 403, reason: "InvalidProviderToken")), times: 4))
            #expect(await fixture.client.send(makeRequest(1)) == .configurationRefused(.invalidProviderToken))
            #expect(fixture.storage.saves == 1)
            clock.jump(120)
            // Refused with the old one, refused with the new one, and then once more with that.
            #expect(await fixture.client.send(makeRequest(1)) == .configurationRefused(.invalidProviderToken))
            #expect(await fixture.client.send(makeRequest(1)) == .configurationRefused(.invalidProviderToken))
            #expect(fixture.storage.saves == 2)
            #expect(await fixture.send([makeRequest(1)]).undelivered == [:])
            #expect(fixture.storage.saves == 2)
        }
    }

    @Test("a renewed one that is called expired too is not renewed again")
    func expiredTwice() async throws {
        let now = Int(Date().timeIntervalSince1970)
        try await WireFixture.run(sandbox: { $0.limitsProviderTokenUpdates = false }) { fixture in
            try await keepOldToken(in: fixture, seconds: 30 * 60, now: now)
            fixture.sandbox.addRule(
                SandboxRule(.answer(SandboxAnswer(status: 403, reason: "ExpiredProviderToken")), times: 2))
            #expect(await fixture.client.send(makeRequest(1)) == .providerTokenExpired)
            #expect(fixture.sandbox.requests.count == 2)
            #expect(fixture.storage.saves == 1)
        }
    }

    @Test(
        "answers that blame the connection get a fresh one",
        arguments: [
            (SandboxAnswer(status: 403, reason: "UnrelatedKeyIdInToken"), APNsOutcome.connectionMismatch),
            (SandboxAnswer(status: 400, reason: "IdleTimeout"), .idleTimeout),
        ])
    func freshConnection(answer: SandboxAnswer, outcome: APNsOutcome) async throws {
        try await WireFixture.run { fixture in
            fixture.sandbox.addRule(SandboxRule(.answer(answer), times: 1))
            #expect(await fixture.client.send(makeRequest(1)) == outcome)
            #expect(await fixture.send([makeRequest(1)]).undelivered == [:])
            #expect(fixture.sandbox.requests.map(\.connection) == [1, 2])
        }
    }

    @Test("another key goes on fresh connections, and nothing is lost on the old ones")
    func rotation() async throws {
        let next = SandboxCredentials.generate()
        try await WireFixture.run(
            sandbox: {
                $0.keys[next.keyID] = next.privateKeyPEM
                $0.limitsProviderTokenUpdates = false
            }, client: { $0.streams = 10 }
        ) { fixture in
            fixture.sandbox.addRule(SandboxRule(.accept, delay: .milliseconds(5)))
            async let first = fixture.send((0..<200).map { makeRequest($0) })
            try await fixture.sandbox.waitForNotifications(count: 50)
            fixture.client.replaceProviderToken(
                try ProviderTokenSource(
                    teamID: fixture.credentials.teamID, keyID: next.keyID, privateKeyPEM: next.privateKeyPEM,
                    storage: fixture.storage))
            #expect(await first.undelivered == [:])
            #expect(await fixture.send([makeRequest(999)]).undelivered == [:])
            #expect(fixture.sandbox.counts.notifications == 201)
            #expect(fixture.storage.stored?.keyID == next.keyID)
        }
    }

    @Test("a storage that fails keeps the notification here, and says why")
    func brokenStorage() async throws {
        try await WireFixture.run { fixture in
            fixture.storage.failsToSave = true
            let outcome = await fixture.client.send(makeRequest())
            #expect(outcome.label == "not_sent")
            #expect(outcome.reasonLabel == "no_provider_token")
            fixture.storage.failsToSave = false
            #expect(await fixture.send([makeRequest()]).undelivered == [:])
        }
    }
}
