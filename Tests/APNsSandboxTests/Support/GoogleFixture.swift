import APNsSandbox
import FoundationEssentials
import JWTKit

/// The claims of an assertion; those that are nil are left out.
struct AssertionClaims: JWTPayload {
    var iss: String?
    var scope: String? = "https://www.googleapis.com/auth/firebase.messaging"
    var aud: String?
    var iat: Int?
    var exp: Int?

    func verify(using algorithm: some JWTAlgorithm) {}
}

/// Requests to Google's part of the sandbox.
enum GoogleFixture {
    /// One account for all tests: its key takes a while to make.
    static let standIn = Result { try GoogleStandIn.generate(projectID: "test-project") }
    static let path = "/v1/projects/test-project/messages:send"
    static let token = "dEv1ce-t0ken_A:APA91b.x"
    static let grantType = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"

    /// A request without a fault for an access token, but for the change that is made to the claims.
    static func tokenRequest(
        _ fixture: SandboxFixture, key: GoogleStandIn? = nil, kid: String? = nil,
        _ change: (inout AssertionClaims) -> Void = { _ in }
    ) async throws -> TestRequest {
        let standIn = try standIn.get()
        let now = Int(fixture.clock.now.timeIntervalSince1970)
        var claims = AssertionClaims(
            iss: standIn.clientEmail, aud: fixture.sandbox.origin + "/token", iat: now, exp: now + 3600)
        change(&claims)
        let keys = JWTKeyCollection()
        await keys.add(
            rsa: try Insecure.RSA.PrivateKey(pem: (key ?? standIn).privateKeyPEM), digestAlgorithm: .sha256)
        let assertion = try await keys.sign(claims, header: ["kid": .string(kid ?? standIn.privateKeyID)])
        return form("grant_type=\(grantType)&assertion=\(assertion)")
    }

    static func form(_ body: String) -> TestRequest {
        TestRequest(
            path: "/token", headers: [("content-type", "application/x-www-form-urlencoded")], body: Array(body.utf8))
    }

    /// A new access token.
    static func accessToken(_ fixture: SandboxFixture, on connection: TestConnection) async throws -> String {
        let body = try await connection.send(try await tokenRequest(fixture)).body
        guard let start = body.firstRange(of: #""access_token":""#)?.upperBound else { return "" }
        return String(body[start...].prefix { $0 != "\"" })
    }

    static func message(_ body: String, accessToken: String) -> TestRequest {
        TestRequest(
            path: path,
            headers: [("authorization", "Bearer \(accessToken)"), ("content-type", "application/json")],
            body: Array(body.utf8))
    }

    /// A message with these members beside its token.
    static func message(members: String = "", to token: String = token, accessToken: String) -> TestRequest {
        message(
            #"{"message":{"token":"\#(token)"\#(members.isEmpty ? "" : ",")\#(members)}}"#, accessToken: accessToken)
    }
}

/// Runs `body` against a sandbox that plays Google too, with an access token.
func withGoogle(
    _ configure: (inout SandboxConfiguration) -> Void = { _ in },
    _ body: (SandboxFixture, TestConnection, _ accessToken: String) async throws -> Void
) async throws {
    let standIn = try GoogleFixture.standIn.get()
    try await withSandbox({ configuration in
        configuration.google = standIn
        configure(&configuration)
    }) { fixture in
        let connection = try await fixture.connect()
        try await body(fixture, connection, try await GoogleFixture.accessToken(fixture, on: connection))
    }
}
