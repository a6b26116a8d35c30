import APNs
import APNsSandbox
import Clocks
import HTTP2Client
import Testing

@Suite("Answers over the wire", .timeLimit(.minutes(5)))
struct AnswerTests {
    @Test("mean what the table says, each of them")
    func table() async throws {
        try await WireFixture.run { fixture in
            for (number, row) in answerTable.enumerated() where row.reason != "ExpiredProviderToken" {
                fixture.sandbox.addRule(
                    SandboxRule(
                        .answer(SandboxAnswer(status: row.status, reason: row.reason)), token: deviceToken(number)))
                #expect(await fixture.client.send(makeRequest(number)) == row.outcome, "\(row)")
            }
        }
    }

    @Test("carry the moment of a 410 and both forms of Retry-After")
    func details() async throws {
        try await WireFixture.run { fixture in
            fixture.sandbox.addRule(
                SandboxRule(
                    .answer(
                        SandboxAnswer(
                            status: 410, reason: "Unregistered", timestampMilliseconds: 1_704_067_200_123)),
                    token: deviceToken(1)))
            fixture.sandbox.addRule(
                SandboxRule(
                    .answer(SandboxAnswer(status: 429, reason: "TooManyRequests", retryAfter: .seconds(17))),
                    token: deviceToken(2)))
            fixture.sandbox.addRule(
                SandboxRule(
                    .answer(SandboxAnswer(status: 503, reason: "Shutdown", retryAfter: .date(secondsFromNow: 600))),
                    token: deviceToken(3)))
            #expect(
                await fixture.client.send(makeRequest(1))
                    == .tokenGone(.unregistered, timestampMilliseconds: 1_704_067_200_123))
            #expect(await fixture.client.send(makeRequest(2)) == .deviceThrottled(retryAfter: .seconds(17)))
            let outcome = await fixture.client.send(makeRequest(3))
            guard case .serverUnavailable(.shutdown, let retryAfter?) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            let delay = retryAfter.delay(now: MachineClock.system.wall() / 1_000)
            #expect((.seconds(540)...Duration.seconds(601)).contains(delay))
        }
    }

    @Test(
        "that are no JSON, or none that is known, are told by their status",
        arguments: [
            ("<html>busy</html>", 502, nil), ("", 500, nil), (#"{"reason":"Novelty"}"#, 400, "Novelty"),
            (#"{"reason":17}"#, 403, nil), (String(repeating: "x", count: 16_384), 400, nil),
            (String(repeating: "x", count: 16_385), 400, nil), (String(repeating: "x", count: 1_000_000), 503, nil),
        ] as [(String, Int, String?)])
    func unknown(body: String, status: Int, reason: String?) async throws {
        try await WireFixture.run { fixture in
            fixture.sandbox.addRule(SandboxRule(.answer(SandboxAnswer(status: status, body: body)), times: 1))
            #expect(
                await fixture.client.send(makeRequest())
                    == .unknown(status: status, reason: reason, retryAfter: nil))
            #expect(await fixture.send([makeRequest()]).undelivered == [:])
        }
    }

    @Test(
        "that lack half of the body: a 200 is one, a 410 a strike, and another refusal is sent again",
        arguments: SandboxEffect.HalfBodyEnding.allCases)
    func halfBody(ending: SandboxEffect.HalfBodyEnding) async throws {
        try await WireFixture.run(client: { $0.requestTimeout = .seconds(5) }) { fixture in
            fixture.sandbox.addRule(
                SandboxRule(
                    .halfBody(SandboxAnswer(status: 400, reason: "BadDeviceToken"), ending: ending),
                    token: deviceToken(1)))
            fixture.sandbox.addRule(
                SandboxRule(
                    .halfBody(SandboxAnswer(status: 200, body: "a body"), ending: ending), token: deviceToken(2)))
            fixture.sandbox.addRule(
                SandboxRule(
                    .halfBody(
                        SandboxAnswer(status: 410, reason: "ExpiredToken", timestampMilliseconds: 1_704_067_200_123),
                        ending: ending), token: deviceToken(3)))
            #expect(await fixture.client.send(makeRequest(1)) == .transport(.reset))
            #expect(await fixture.send([makeRequest(2)]).undelivered == [:])
            #expect(await fixture.client.send(makeRequest(3)) == .tokenInvalid(.unregistered))
            #expect(await fixture.send([makeRequest(4)]).undelivered == [:])
        }
    }
}
