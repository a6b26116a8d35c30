import APNs
import APNsSandbox
import HTTP2Client
import Logging
import Testing

/// Production is the operator's own host here, unless a test says otherwise.
@Suite("Two hosts over the wire", .timeLimit(.minutes(5)))
struct TwoHostsTests {
    /// A request to the device of this number.
    private func request(_ number: Int, at host: APNsHost? = nil, mayTryOtherHost: Bool = false) -> APNsRequest {
        var request = makeRequest(number)
        (request.host, request.mayTryOtherHost) = (host, mayTryOtherHost)
        return request
    }

    /// Runs `body` between a client and a sandbox with a port for each host.
    private func run(
        client: (inout APNsConfiguration) -> Void = { _ in }, _ body: (WireFixture) async throws -> Void
    ) async throws {
        try await WireFixture.run(sandbox: { $0.developmentPort = 0 }, client: client, body)
    }

    /// A rule that answers so at this host.
    private func rule(_ status: Int, _ reason: String, at environment: SandboxEnvironment? = nil) -> SandboxRule {
        SandboxRule(.answer(SandboxAnswer(status: status, reason: reason)), environment: environment)
    }

    /// The outcomes of one request that may try the other host, in each way of sending; production calls its token bad.
    private func outcomes(ofTrying fixture: WireFixture) async -> [APNsOutcome] {
        fixture.sandbox.addRule(rule(400, "BadDeviceToken", at: .production))
        return await fixture.send((0..<2).map { request($0, mayTryOtherHost: true) })
    }

    @Test("a token that is good at the other host is delivered there, and the outcome names the host")
    func goodAtOther() async throws {
        try await run { fixture in
            for number in 0..<4 {
                fixture.sandbox.setToken(SandboxToken(deviceToken(number), goodAt: .development))
            }
            let requests = (0..<4).map { request($0, mayTryOtherHost: true) }
            let outcomes = await fixture.send(requests)
            #expect(outcomes == requests.map { .deliveredByOtherHost(apnsID: $0.id, host: .development) })
            for request in requests {
                let seen = fixture.sandbox.requests.filter { $0.token == request.deviceToken }
                #expect(seen.map(\.environment) == [.production, .development])
                #expect(seen.map(\.reason) == ["BadDeviceToken", nil])
                #expect(seen.allSatisfy { $0.id == request.id && $0.body == request.payload })
            }
        }
    }

    @Test("the other host is asked only if that is allowed, and only about a token called bad")
    func notAsked() async throws {
        try await run { fixture in
            fixture.sandbox.setToken(SandboxToken(deviceToken(1), goodAt: .development))
            let bad = APNsOutcome.tokenInvalid(.badDeviceToken)
            #expect(await fixture.send([request(1), request(1)]) == [bad, bad])
            for (status, reason) in [
                (400, "DeviceTokenNotForTopic"), (410, "Unregistered"), (400, "BadPriority"), (413, "PayloadTooLarge"),
                (403, "TopicDisallowed"), (503, "Shutdown"), (429, "TooManyRequests"), (400, "Novelty"),
            ] {
                fixture.sandbox.addRule(rule(status, reason, at: .production))
                _ = await fixture.send((2..<4).map { request($0, mayTryOtherHost: true) })
                fixture.sandbox.removeAllRules()
            }
            #expect(fixture.sandbox.requests.count == 2 + 8 * 2)
            #expect(fixture.sandbox.requests.allSatisfy { $0.environment == .production })
        }
    }

    @Test("a request that names its host goes there and nowhere else")
    func named() async throws {
        try await run { fixture in
            fixture.sandbox.setToken(SandboxToken(deviceToken(1), goodAt: .development))
            fixture.sandbox.setToken(SandboxToken(deviceToken(2), goodAt: .production))
            #expect(
                await fixture.send((0..<2).map { _ in request(1, at: .development, mayTryOtherHost: true) })
                    .allSatisfy { $0 == .delivered(apnsID: makeRequest(1).id) })
            #expect(await fixture.send([request(2, at: .production), request(2)]).undelivered == [:])
            #expect(
                await fixture.client.send(request(2, at: .development, mayTryOtherHost: true))
                    == .deliveredByOtherHost(apnsID: makeRequest(2).id, host: .production))
        }
    }

    @Test(
        "a token that both refuse, in whichever words, is called what the first called it",
        arguments: [
            SandboxAnswer(status: 400, reason: "BadDeviceToken"),
            SandboxAnswer(status: 400, reason: "DeviceTokenNotForTopic"),
            SandboxAnswer(status: 410, reason: "Unregistered"),
            SandboxAnswer(status: 410, reason: "Unregistered", timestampMilliseconds: 5),
        ])
    func refusedByBoth(answer: SandboxAnswer) async throws {
        try await run { fixture in
            fixture.sandbox.addRule(SandboxRule(.answer(answer), environment: .development))
            let outcomes = await outcomes(ofTrying: fixture)
            #expect(outcomes == [.tokenInvalid(.badDeviceToken), .tokenInvalid(.badDeviceToken)])
            #expect(fixture.sandbox.requests.count(where: { $0.environment == .development }) == 2)
        }
    }

    @Test(
        "a host that is not the own one and refuses our credentials is told apart, and makes no bad token good or worse",
        arguments: [
            (403, "BadEnvironmentKeyInToken", APNsReason.badEnvironmentKeyInToken),
            (403, "BadEnvironmentKeyIdInToken", .badEnvironmentKeyIDInToken),
            (403, "InvalidProviderToken", .invalidProviderToken), (400, "TopicDisallowed", .topicDisallowed),
            (403, "Novelty", nil),
        ] as [(Int, String, APNsReason?)])
    func otherRefusesCredentials(status: Int, text: String, reason: APNsReason?) async throws {
        for own in APNsHost.allCases {
            let environments = [APNsHost.development: SandboxEnvironment.development, .production: .production]
            try await run(client: { $0.defaultHost = own }) { fixture in
                fixture.sandbox.addRule(rule(status, text, at: environments[own.other]))
                fixture.sandbox.addRule(SandboxRule(.accept, token: deviceToken(9), environment: environments[own]))
                let direct = await fixture.send((0..<2).map { request($0, at: own.other) })
                #expect(direct == [.otherHostRefused(reason), .otherHostRefused(reason)])
                // The own host goes on.
                #expect(await fixture.send([request(9), request(9, at: own)]).undelivered == [:])
                fixture.sandbox.addRule(rule(400, "BadDeviceToken", at: environments[own]))
                let tried = await fixture.send((0..<2).map { request($0, mayTryOtherHost: true) })
                #expect(tried == [.tokenInvalid(.badDeviceToken), .tokenInvalid(.badDeviceToken)])
            }
        }
    }

    @Test("the own host's refusal of the credentials is that, even where it was asked as the other one")
    func ownRefusesCredentials() async throws {
        try await run { fixture in
            fixture.sandbox.addRule(rule(403, "BadEnvironmentKeyInToken", at: .production))
            fixture.sandbox.addRule(rule(400, "BadDeviceToken", at: .development))
            let outcomes = await fixture.send([
                request(1), request(1, at: .production), request(1, at: .development, mayTryOtherHost: true),
            ])
            #expect(outcomes.allSatisfy { $0 == .configurationRefused(.badEnvironmentKeyInToken) })
        }
    }

    @Test("what the other host says of the provider token stops nobody else, and is no word about a device")
    func providerToken() async throws {
        try await run { fixture in
            for (status, reason, outcome) in [
                (403, "ExpiredProviderToken", APNsOutcome.otherHostRefused(.expiredProviderToken)),
                (429, "TooManyProviderTokenUpdates", .otherHostRefused(.tooManyProviderTokenUpdates)),
            ] {
                fixture.sandbox.addRule(rule(status, reason, at: .development))
                #expect(await fixture.client.send(request(1, at: .development)) == outcome)
                #expect(await outcomes(ofTrying: fixture) == [outcome, outcome])
                fixture.sandbox.removeAllRules()
            }
            #expect(fixture.storage.saves == 1)
        }
    }

    @Test(
        "an answer of the other host that is none for good is the outcome, so that it is asked again",
        arguments: [
            (503, "ServiceUnavailable", APNsOutcome.serverUnavailable(.serviceUnavailable, retryAfter: nil)),
            (500, "InternalServerError", .serverUnavailable(.internalServerError, retryAfter: nil)),
            (429, "TooManyRequests", .deviceThrottled(retryAfter: nil)), (400, "IdleTimeout", .idleTimeout),
            (502, "Novelty", .unknown(status: 502, reason: "Novelty", retryAfter: nil)),
        ])
    func otherUnwell(status: Int, reason: String, outcome: APNsOutcome) async throws {
        try await run { fixture in
            fixture.sandbox.addRule(rule(status, reason, at: .development))
            #expect(await outcomes(ofTrying: fixture) == [outcome, outcome])
        }
    }

    @Test("so it is while the other host is down or silent, and the own one goes on")
    func otherDown() async throws {
        // A port on which nobody listens any more.
        let gone = try APNsSandbox(
            configuration: SandboxConfiguration(credentials: .generate()),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await gone.start()
        let origin = gone.origin
        await gone.stop()
        try await run(client: { $0.developmentOrigin = origin }) { fixture in
            #expect(await outcomes(ofTrying: fixture) == [.transport(.refused), .transport(.refused)])
            fixture.sandbox.removeAllRules()
            #expect(await fixture.send([request(1), request(2)]).undelivered == [:])
        }
        try await run(client: {
            ($0.firstByteTimeout, $0.requestTimeout) = (.milliseconds(100), .milliseconds(100))
        }) { fixture in
            fixture.sandbox.addRule(SandboxRule(.silence, environment: .development))
            #expect(await outcomes(ofTrying: fixture) == [.transport(.timeout), .transport(.timeout)])
        }
    }

    @Test("a silent host fills its own slots and no others, also with what was asked of the own host first")
    func slots() async throws {
        try await run(client: {
            ($0.connections, $0.streams, $0.drainTimeout) = (1, 1, .milliseconds(100))
        }) { fixture in
            try await fixture.client.prepareProviderToken()
            fixture.sandbox.addRule(SandboxRule(.silence, environment: .development))
            let silent = (0..<2).map { fixture.client.begun(request($0, at: .development)) }
            let waiting = fixture.client.begun(request(2, at: .development))
            // More than the own host has slots: they wait for the silent one, and hold nothing.
            for number in 10..<14 {
                fixture.sandbox.setToken(SandboxToken(deviceToken(number), goodAt: .development))
            }
            await withTaskGroup(of: APNsOutcome.self) { group in
                for number in 10..<14 {
                    group.addTask { await fixture.client.send(request(number, mayTryOtherHost: true)) }
                }
                for number in 20..<24 { #expect(await fixture.client.send(request(number)).isDelivered) }
                let refused = try? await fixture.sandbox.waitForRequests(count: 4) { $0.reason == "BadDeviceToken" }
                #expect(refused?.count == 4)
                for number in 20..<24 { #expect(await fixture.client.send(request(number)).isDelivered) }
                await fixture.shutDown()
                // What the other host was not asked is not decided.
                for await outcome in group { #expect(outcome == .notSent(.shuttingDown)) }
            }
            let last = await waiting.first { _ in true }
            #expect(last == .notSent(.shuttingDown))
            for outcomes in silent {
                let ending = await outcomes.first { _ in true }
                #expect(ending == .notSent(.abandoned) || ending == .notSent(.shuttingDown))
            }
        }
    }

    @Test("a host's connections are opened when the first request needs them, under one provider token for both")
    func lazy() async throws {
        try await run { fixture in
            #expect(await fixture.send((0..<50).map { request($0, mayTryOtherHost: true) }).undelivered == [:])
            let connections = fixture.sandbox.counts.connections
            #expect((1...2).contains(connections))
            #expect(fixture.sandbox.requests.allSatisfy { $0.environment == .production })
            #expect(await fixture.client.send(request(1, at: .development)).isDelivered)
            #expect(fixture.sandbox.counts.connections == connections + 1)
            #expect(fixture.storage.saves == 1)
        }
    }

    @Test("another key and a replacement reach the connections to both hosts; a connection is one key's")
    func replaced() async throws {
        let next = SandboxCredentials.generate()
        try await WireFixture.run(sandbox: {
            $0.developmentPort = 0
            $0.keys[next.keyID] = next.privateKeyPEM
        }) { fixture in
            func sendToBoth() async -> Set<Int> {
                let before = fixture.sandbox.requests.count
                for host in APNsHost.allCases {
                    #expect(await fixture.client.send(request(1, at: host)).isDelivered)
                }
                return Set(fixture.sandbox.requests.dropFirst(before).map(\.connection))
            }
            #expect(await sendToBoth() == [1, 2])
            fixture.client.replaceConnections()
            #expect(await sendToBoth() == [3, 4])
            fixture.client.replaceProviderToken(
                try ProviderTokenSource(
                    teamID: fixture.credentials.teamID, keyID: next.keyID, privateKeyPEM: next.privateKeyPEM,
                    storage: fixture.storage))
            #expect(await sendToBoth() == [5, 6])
            #expect(fixture.storage.saves == 2)
        }
    }

    @Test("a stop lets what is in flight to both hosts finish")
    func drains() async throws {
        try await run(client: { $0.connections = 1 }) { fixture in
            for host in APNsHost.allCases { #expect(await fixture.client.send(request(0, at: host)).isDelivered) }
            // Told as they arrive, answered later.
            fixture.sandbox.addRule(SandboxRule(.accept, delay: .milliseconds(300), delivered: true))
            let begun = APNsHost.allCases.map { fixture.client.begun(request(1, at: $0)) }
            try await fixture.sandbox.waitForNotifications(count: 4)
            await fixture.shutDown()
            for outcomes in begun { #expect(await outcomes.first { _ in true }?.isDelivered == true) }
        }
    }

    @Test("one server that stands in for both hosts has no other, and is the own one")
    func oneServer() async throws {
        try await WireFixture.run { fixture in
            fixture.sandbox.addRule(SandboxRule(rule(400, "BadDeviceToken").effect, token: deviceToken(1)))
            #expect(
                await fixture.client.send(request(1, at: .development, mayTryOtherHost: true))
                    == .tokenInvalid(.badDeviceToken))
            #expect(fixture.sandbox.counts.requests == 1)
            fixture.sandbox.addRule(rule(403, "BadEnvironmentKeyInToken"))
            #expect(
                await fixture.client.send(request(2, at: .development))
                    == .configurationRefused(.badEnvironmentKeyInToken))
            #expect(fixture.sandbox.counts.connections == 1)
        }
    }
}
