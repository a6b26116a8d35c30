import Foundation
import HTTP2Client
import JWTKit
import Testing

@testable import FCM

@Suite("Requests for access tokens")
struct AccessTokenRequestTests {
    private struct Claims: JWTPayload {
        var iss: String
        var scope: String
        var aud: String
        var iat: UInt64
        var exp: UInt64

        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    private func assertion(_ request: AccessTokenRequest) throws -> String {
        let body = String(decoding: request.http.body, as: UTF8.self)
        let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
        #expect(body.hasPrefix(form))
        return String(body.dropFirst(form.count))
    }

    @Test("are a form with a JWT that the account's key signed, with Google's claims")
    func signed() async throws {
        let account = try SampleAccount.account()
        let request = try await AccessTokenRequest(account, unixSeconds: 1_700_000_000)
        #expect(request.http.path == "/token")
        let jwt = try assertion(request)
        let keys = await JWTKeyCollection()
            .add(rsa: account.key.publicKey, digestAlgorithm: .sha256, kid: "0123456789abcdef")
        let claims = try await keys.verify(jwt, as: Claims.self)
        #expect(claims.iss == "push@kasia-test.iam.gserviceaccount.com")
        #expect(claims.scope == "https://www.googleapis.com/auth/firebase.messaging")
        #expect(claims.aud == "https://oauth2.googleapis.com/token")
        #expect(claims.iat == 1_699_999_400)
        #expect(claims.exp == 1_700_003_000)
    }

    @Test("name algorithm and key in the JWT's header, and write the times as whole numbers")
    func header() async throws {
        let request = try await AccessTokenRequest(SampleAccount.account(), unixSeconds: 1_700_000_000)
        let parts = try assertion(request).split(separator: ".")
        #expect(parts.count == 3)
        let header = try #require(try json(parts[0]) as? [String: String])
        #expect(header["alg"] == "RS256")
        #expect(header["kid"] == "0123456789abcdef")
        let claims = try #require(try json(parts[1]) as? [String: Any])
        #expect(Set(claims.keys) == ["iss", "scope", "aud", "iat", "exp"])
        #expect(claims["iat"] as? Int == 1_699_999_400)
    }

    @Test(
        "hold for Google while this machine's clock is ahead or behind by what is tolerated", arguments: [-600, 0, 600])
    func skewed(_ ahead: Int) async throws {
        let google = 1_700_000_000
        let request = try await AccessTokenRequest(SampleAccount.account(), unixSeconds: UInt64(google + ahead))
        let parts = try assertion(request).split(separator: ".")
        let claims = try #require(try json(parts[1]) as? [String: Any])
        let (issued, expires) = (try #require(claims["iat"] as? Int), try #require(claims["exp"] as? Int))
        #expect(issued <= google && google + 60 < expires && expires - issued == 3_600)
    }

    private func json(_ part: Substring) throws -> Any {
        var base64 = String(part).replacing("-", with: "+").replacing("_", with: "/")
        while base64.count % 4 != 0 { base64 += "=" }
        return try JSONSerialization.jsonObject(with: try #require(Data(base64Encoded: base64)))
    }
}
