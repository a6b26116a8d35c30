import APNsSandbox
import FoundationEssentials
import NIOCore
import Testing

@Suite("A script", .timeLimit(.minutes(5)))
struct ScriptedAnswerTests {
    static let answers: [(SandboxAnswer, String, String?)] = [
        (SandboxAnswer(status: 503, reason: "ServiceUnavailable"), #"{"reason":"ServiceUnavailable"}"#, nil),
        (
            SandboxAnswer(status: 410, reason: "Unregistered", timestampMilliseconds: 1_700_000_000_123),
            #"{"reason":"Unregistered","timestamp":1700000000123}"#, nil
        ),
        (
            SandboxAnswer(status: 429, reason: "TooManyRequests", retryAfter: .seconds(7)),
            #"{"reason":"TooManyRequests"}"#, "7"
        ),
        (
            SandboxAnswer(status: 503, reason: "Shutdown", retryAfter: .date(secondsFromNow: 60)),
            #"{"reason":"Shutdown"}"#, "Fri, 15 Jan 2027 08:01:00 GMT"
        ),
        (SandboxAnswer(status: 500, body: "<html>oops"), "<html>oops", nil),
        (SandboxAnswer(status: 400, reason: "NeverHeard\"Of"), #"{"reason":"NeverHeard\"Of"}"#, nil),
        (SandboxAnswer(status: 410), "", nil),
        (SandboxAnswer(status: 299, reason: "Odd"), #"{"reason":"Odd"}"#, nil),
    ]

    @Test("answers with any status, reason, timestamp, retry-after and body", arguments: answers)
    func answersAnything(answer: SandboxAnswer, body: String, retryAfter: String?) async throws {
        try await withSandbox { fixture in
            fixture.sandbox.addRule(SandboxRule(.answer(answer), times: 1))
            let connection = try await fixture.connect()
            let response = try await connection.send(fixture.push())
            #expect(response.status == answer.status)
            #expect(response.body == body)
            #expect(response.headers["retry-after"] == retryAfter)
            #expect(fixture.sandbox.notifications.isEmpty)
            #expect(try await connection.send(fixture.push()).status == 200)
            #expect(fixture.sandbox.requests.map(\.status) == [answer.status, 200])
        }
    }

    @Test("never hides a request's own fault, and is not used up by it")
    func faultsComeFirst() async throws {
        try await withSandbox { fixture in
            fixture.sandbox.addRule(SandboxRule(.answer(SandboxAnswer(status: 503)), times: 1))
            let connection = try await fixture.connect()
            #expect(try await connection.send(fixture.push(body: [])).reason == "PayloadEmpty")
            #expect(try await connection.send(fixture.push()).status == 503)
        }
    }

    @Test("keeps silent while other streams are served")
    func keepsSilent() async throws {
        try await withSandbox { fixture in
            fixture.sandbox.addRule(SandboxRule(.silence, times: 1))
            let connection = try await fixture.connect()
            let silent = connection.start(fixture.push())
            #expect(try await connection.send(fixture.push()).status == 200)
            #expect(fixture.sandbox.requests.map(\.ending) == [.silence, .answered])
            try await connection.close()
            #expect(try await silent.get().ending == .closed)
            #expect(fixture.sandbox.counts.requests == 2)
        }
    }

    @Test("delays one answer and no other")
    func delays() async throws {
        try await withSandbox { fixture in
            fixture.sandbox.addRule(SandboxRule(.accept, times: 1, delay: .milliseconds(100)))
            let connection = try await fixture.connect()
            let slow = connection.start(fixture.push())
            #expect(try await connection.send(fixture.push()).status == 200)
            #expect(try await slow.get().status == 200)
            #expect(fixture.sandbox.notifications.map(\.stream) == [3, 1])
        }
    }

    @Test("forgets a delayed request when the client gives it up")
    func abandoned() async throws {
        try await withSandbox { fixture in
            fixture.sandbox.addRule(SandboxRule(.accept, delay: .seconds(3600)))
            let connection = try await fixture.connect()
            _ = connection.start(fixture.push())
            // Streams are read in order: once the second is filed, the first waits for its delay.
            fixture.sandbox.addRule(SandboxRule(.silence, token: SandboxFixture.deviceToken + "aa"))
            _ = connection.start(fixture.push(to: SandboxFixture.deviceToken + "aa"))
            try await fixture.sandbox.waitForRequests(count: 1)
            try await connection.close()
            let entries = try await fixture.sandbox.waitForRequests(count: 2)
            #expect(entries.map(\.ending) == [.silence, .abandoned])
            #expect(fixture.sandbox.notifications.isEmpty)
        }
    }

    @Test("resets a stream with the code it names", arguments: [0, 2, 7, 8, 11])
    func resets(code: UInt32) async throws {
        try await withSandbox { fixture in
            fixture.sandbox.addRule(SandboxRule(.resetStream(errorCode: code), times: 1))
            let connection = try await fixture.connect()
            #expect(try await connection.send(fixture.push()).ending == .reset(Int(code)))
            #expect(try await connection.send(fixture.push()).status == 200)
            #expect(fixture.sandbox.requests.map(\.ending) == [.reset, .answered])
        }
    }

    @Test("breaks an answer off in the middle of its body", arguments: SandboxEffect.HalfBodyEnding.allCases)
    func breaksOff(ending: SandboxEffect.HalfBodyEnding) async throws {
        try await withSandbox { fixture in
            let answer = SandboxAnswer(status: 410, reason: "Unregistered")
            fixture.sandbox.addRule(SandboxRule(.halfBody(answer, ending: ending), times: 1))
            let connection = try await fixture.connect()
            let broken = connection.start(fixture.push())
            if ending == .silence {
                #expect(try await connection.send(fixture.push()).status == 200)
                try await connection.close()
            }
            let response = try await broken.get()
            #expect(response.status == 410)
            #expect(response.headers["content-length"] == "25")
            #expect(response.body == #"{"reason":"U"#)
            #expect(response.ending == (ending == .reset ? .reset(2) : .closed))
            #expect(fixture.sandbox.requests.first?.ending == .halfBody)
        }
    }

    @Test("counts a notification as delivered though the client never hears of it")
    func losesAnswer() async throws {
        try await withSandbox { fixture in
            fixture.sandbox.addRule(SandboxRule(.closeConnection, times: 1, delivered: true))
            let response = try await fixture.connect().send(fixture.push())
            #expect(response.ending == .closed)
            let entry = try #require(fixture.sandbox.notifications.first)
            #expect(entry.status == 0 && entry.ending == .closed && entry.isAccepted)
            #expect(fixture.sandbox.counts.requests == 1)
        }
    }

    @Test("treats each device as its own rules say")
    func rulesByToken() async throws {
        try await withSandbox { fixture in
            let dead = String(repeating: "d", count: 64)
            let answer = SandboxAnswer(status: 400, reason: "BadDeviceToken")
            fixture.sandbox.addRule(SandboxRule(.answer(answer), name: "dead", token: dead.uppercased()))
            let connection = try await fixture.connect()
            #expect(try await connection.send(fixture.push(to: dead)).reason == "BadDeviceToken")
            #expect(try await connection.send(fixture.push()).status == 200)
            #expect(fixture.sandbox.removeRules(named: "dead") == 1)
            #expect(try await connection.send(fixture.push(to: dead)).status == 200)
            #expect(fixture.sandbox.notifications(to: dead).count == 1)
        }
    }
}
