import APNsSandbox
import FoundationEssentials
import Logging
import Testing

@Suite("Google's token endpoint", .timeLimit(.minutes(5)))
struct TokenEndpointTests {
    @Test("gives out an access token for a good assertion, and keeps nothing of it")
    func gives() async throws {
        try await withGoogle { fixture, connection, _ in
            let response = try await connection.send(try await GoogleFixture.tokenRequest(fixture))
            #expect(response.status == 200)
            #expect(response.headers["content-type"] == "application/json; charset=UTF-8")
            #expect(response.body.hasPrefix(#"{"access_token":"ya29."#))
            #expect(response.body.hasSuffix(#"","expires_in":3599,"token_type":"Bearer"}"#))
            let entry = try #require(fixture.sandbox.requests.last)
            #expect(entry.carrier == .googleToken && entry.status == 200 && !entry.isAccepted)
            #expect(entry.body.isEmpty && entry.bodyLength > 300)
            #expect(fixture.sandbox.notifications.isEmpty)
        }
    }

    /// One claim changed, and the error that follows; times are from now.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let error: String?
        let change: @Sendable (inout AssertionClaims, Int) -> Void

        init(_ name: String, _ error: String?, _ change: @escaping @Sendable (inout AssertionClaims, Int) -> Void) {
            (testDescription, self.error, self.change) = (name, error, change)
        }

        static let all: [Case] = [
            Case("no iss", "invalid_grant") { claims, _ in claims.iss = nil },
            Case("another iss", "invalid_grant") { claims, _ in claims.iss = "other@x.iam.gserviceaccount.com" },
            Case("no aud", "invalid_grant") { claims, _ in claims.aud = nil },
            Case("another aud", "invalid_grant") { claims, _ in claims.aud = "https://example.org/token" },
            Case("an aud without the path", "invalid_grant") { claims, _ in claims.aud?.removeLast(6) },
            Case("the host that was asked", nil) { claims, _ in claims.aud = "https://localhost/token" },
            Case("Google's own aud", nil) { claims, _ in claims.aud = "https://oauth2.googleapis.com/token" },
            Case("no scope", "invalid_grant") { claims, _ in claims.scope = nil },
            Case("another scope", "invalid_scope") { claims, _ in
                claims.scope = "https://www.googleapis.com/auth/devstorage.read_only"
            },
            Case("the wide scope among others", nil) { claims, _ in
                claims.scope = "openid https://www.googleapis.com/auth/cloud-platform"
            },
            Case("iat in a second", "invalid_grant") { ($0.iat, $0.exp) = ($1 + 1, $1 + 60) },
            Case("exp now", "invalid_grant") { ($0.iat, $0.exp) = ($1 - 60, $1) },
            Case("exp in a second", nil) { ($0.iat, $0.exp) = ($1 - 60, $1 + 1) },
            Case("3,599 seconds", nil) { ($0.iat, $0.exp) = ($1, $1 + 3599) },
            Case("3,600 seconds", nil) { ($0.iat, $0.exp) = ($1, $1 + 3600) },
            Case("3,601 seconds", "invalid_grant") { ($0.iat, $0.exp) = ($1, $1 + 3601) },
            Case("no iat", "invalid_grant") { claims, _ in claims.iat = nil },
            Case("no exp", "invalid_grant") { claims, _ in claims.exp = nil },
        ]
    }

    @Test("checks each claim", arguments: Case.all)
    func claims(_ entry: Case) async throws {
        try await withGoogle { fixture, connection, _ in
            let now = Int(fixture.clock.now.timeIntervalSince1970)
            let request = try await GoogleFixture.tokenRequest(fixture) { entry.change(&$0, now) }
            try await expect(entry.error, request, connection, fixture)
        }
    }

    @Test("checks the key's id and the signature")
    func signature() async throws {
        let other = try GoogleStandIn.generate()
        try await withGoogle { fixture, connection, _ in
            for request in [
                try await GoogleFixture.tokenRequest(fixture, kid: "0000"),
                try await GoogleFixture.tokenRequest(fixture, key: other),
            ] {
                try await expect("invalid_grant", request, connection, fixture)
            }
        }
    }

    @Test(
        "checks the form",
        arguments: [
            ("", "unsupported_grant_type"), ("assertion=a.b.c", "unsupported_grant_type"),
            ("grant_type=refresh_token&assertion=a.b.c", "unsupported_grant_type"),
            ("grant_type=\(GoogleFixture.grantType)", "invalid_request"),
            ("grant_type=\(GoogleFixture.grantType)&assertion=", "invalid_request"),
            ("grant_type=\(GoogleFixture.grantType)&assertion=a.b.c&assertion=a.b.c", "invalid_request"),
            ("grant_type=\(GoogleFixture.grantType)&assertion=a.b.c", "invalid_grant"),
            ("grant_type=\(GoogleFixture.grantType)&assertion=%zz", "invalid_request"),
            (
                "grant_type=\(GoogleFixture.grantType)&assertion=\(String(repeating: "a", count: 17_000))",
                "invalid_request"
            ),
        ])
    func form(body: String, error: String) async throws {
        try await withGoogle { fixture, connection, _ in
            try await expect(error, GoogleFixture.form(body), connection, fixture)
        }
    }

    @Test("takes a form only, and POST only")
    func kind() async throws {
        try await withGoogle { fixture, connection, _ in
            var request = try await GoogleFixture.tokenRequest(fixture)
            request.headers = [("content-type", "application/json")]
            try await expect("invalid_request", request, connection, fixture)
            #expect(try await connection.send(TestRequest(method: "GET", path: "/token")).status == 405)
        }
    }

    @Test("answers as a script says, if the script names it")
    func scripted() async throws {
        try await withGoogle { fixture, connection, accessToken in
            fixture.sandbox.addRule(SandboxRule(.answer(SandboxAnswer(status: 503, reason: "all")), name: "all"))
            let request = try await GoogleFixture.tokenRequest(fixture)
            #expect(try await connection.send(request).status == 200)
            let answer = SandboxAnswer(status: 400, reason: "invalid_grant")
            fixture.sandbox.addRule(SandboxRule(.answer(answer), carrier: .googleToken, times: 1))
            let response = try await connection.send(request)
            #expect(response.status == 400)
            #expect(response.body == #"{"error":"invalid_grant","error_description":"A script says so."}"#)
            #expect(try await connection.send(request).status == 200)
            #expect(try await connection.send(GoogleFixture.message(accessToken: accessToken)).status == 503)
        }
    }

    @Test("is no path of a sandbox that does not play Google")
    func isOff() async throws {
        try await withSandbox { fixture in
            let connection = try await fixture.connect()
            for path in ["/token", GoogleFixture.path, "/push/abc"] {
                #expect(try await connection.send(TestRequest(path: path)).reason == "BadPath")
            }
        }
    }

    @Test("needs an RSA key in PEM, and the error names the key")
    func refusesBadKeys() {
        var configuration = SandboxConfiguration(credentials: .generate())
        configuration.google = GoogleStandIn(
            projectID: "p", clientEmail: "a@b", privateKeyID: "KEY1", privateKeyPEM: "no PEM")
        #expect {
            _ = try APNsSandbox(configuration: configuration, logger: Logger(label: "test"))
        } throws: { error in
            let error = error as? SandboxError
            return error?.code == .invalidKey && error?.message.contains("KEY1") == true
        }
    }

    @Test("is named by the service account's file, whose text is never a description")
    func serviceAccount() throws {
        let standIn = try GoogleFixture.standIn.get()
        let text = standIn.serviceAccountJSON(origin: "https://localhost:1")
        let members = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
        #expect(members["type"] == "service_account")
        #expect(members["project_id"] == "test-project")
        #expect(members["client_email"] == standIn.clientEmail)
        #expect(members["private_key_id"] == standIn.privateKeyID && standIn.privateKeyID.count == 40)
        #expect(members["private_key"] == standIn.privateKeyPEM + "\n")
        #expect(members["private_key"]?.hasPrefix("-----BEGIN PRIVATE KEY-----\n") == true)
        #expect(members["token_uri"] == "https://localhost:1/token")
        #expect("\(standIn)" == "service account \(standIn.clientEmail)")
    }

    private func expect(
        _ error: String?, _ request: TestRequest, _ connection: TestConnection, _ fixture: SandboxFixture
    ) async throws {
        let response = try await connection.send(request)
        if let error {
            #expect(response.status == 400)
            #expect(response.body.hasPrefix(#"{"error":"\#(error)","error_description":""#), "\(response.body)")
        } else {
            #expect(response.status == 200, "\(response.body)")
        }
        #expect(fixture.sandbox.requests.last?.reason == error)
    }
}
