import APNsSandbox
import Logging
import Testing

@Suite("A port for each host", .timeLimit(.minutes(5)))
struct TwoHostsTests {
    private static let tokens = (0..<3).map { String(repeating: "\($0)a", count: 32) }

    /// What both hosts, development first, have against a notification to each token.
    private func expect(_ expected: [[String?]], from fixture: SandboxFixture) async throws {
        var answers: [[String?]] = []
        for token in Self.tokens {
            var reasons: [String?] = []
            for environment in SandboxEnvironment.allCases {
                reasons.append(try await fixture.connect(to: environment).send(fixture.push(to: token)).reason)
            }
            answers.append(reasons)
        }
        #expect(answers == expected)
    }

    @Test("takes a token where it is good, and calls it bad at the other host")
    func tokens() async throws {
        try await withSandbox({ $0.developmentPort = 0 }) { fixture in
            #expect(fixture.sandbox.boundPort != fixture.sandbox.boundPort(of: .development))
            #expect(fixture.sandbox.origin == fixture.sandbox.origin(of: .production))
            fixture.sandbox.setToken(SandboxToken(Self.tokens[0].uppercased(), goodAt: .development))
            fixture.sandbox.setToken(SandboxToken(Self.tokens[1], goodAt: .production))
            let bad = "BadDeviceToken"
            try await expect([[nil, bad], [bad, nil], [nil, nil]], from: fixture)
            let journal = fixture.sandbox.requests
            #expect(journal.map(\.environment) == (0..<6).map { $0.isMultiple(of: 2) ? .development : .production })
            #expect(journal.map(\.number) == Array(1...6))
            fixture.sandbox.setToken(SandboxToken(Self.tokens[0], goodAt: nil))
            try await expect([[nil, nil], [bad, nil], [nil, nil]], from: fixture)
        }
    }

    @Test("is told so by a script at either port, and shows it")
    func script() async throws {
        try await withSandbox({ $0.developmentPort = 0 }) { fixture in
            let control = try await fixture.connect(to: .development)
            let script = """
                {"tokens": [{"token": "\(Self.tokens[0])", "good_at": "production"}],
                 "rules": [{"environment": "development", "answer": {"status": 403, "reason": "Forbidden"}}]}
                """
            let state = try await control.send(fixture.control("POST", "/control/script", script))
            #expect(state.status == 200)
            #expect(state.body.contains(#""tokens":[{"good_at":"production","token":"\#(Self.tokens[0])"}]"#))
            #expect(state.body.contains(#""environment":"development""#))
            // The token is looked at before the rules.
            try await expect([["BadDeviceToken", nil], ["Forbidden", nil], ["Forbidden", nil]], from: fixture)
            let page = try await fixture.connect().send(fixture.control("GET", "/control/requests?limit=1"))
            #expect(page.body.contains(#""environment":"development""#) && page.body.contains(#""push_type":"alert""#))
        }
    }

    @Test("one port for both takes every token, names no host, and has no host's rules")
    func onePort() async throws {
        try await withSandbox { fixture in
            #expect(fixture.sandbox.origin(of: .development) == fixture.sandbox.origin)
            fixture.sandbox.setToken(SandboxToken(Self.tokens[0], goodAt: .development))
            fixture.sandbox.addRule(SandboxRule(.silence, environment: .production))
            try await expect([[nil, nil], [nil, nil], [nil, nil]], from: fixture)
            #expect(fixture.sandbox.requests.allSatisfy { $0.environment == nil })
        }
    }

    @Test("a second port that is taken keeps the sandbox from listening at all")
    func portTaken() async throws {
        try await withSandbox { fixture in
            var configuration = SandboxConfiguration(credentials: fixture.credentials)
            configuration.developmentPort = fixture.sandbox.boundPort
            let second = try APNsSandbox(configuration: configuration, logger: Logger(label: "test"))
            await #expect(throws: SandboxError.self) { try await second.start() }
            #expect(second.boundPort == 0)
            await second.stop()
        }
    }
}
