import Crypto
import Foundation
import HTTP2Client
import JWTKit
import Testing

@testable import WebPush

@Suite("VAPID tokens")
struct VAPIDTokensTests {
    private struct Claims: JWTPayload {
        var aud: String
        var exp: UInt64
        var sub: String

        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    private let clock = ManualClock()
    private let key = VAPIDKey.make()
    private let tokens: VAPIDTokens

    init() {
        tokens = VAPIDTokens(key: key, subject: "mailto:push@example.org", clock: clock.machine)
    }

    private func authorization(_ origin: String = "https://push.example") throws -> String {
        try #require(tokens.fields(for: origin).values["authorization"])
    }

    @Test("a token is a JWT of RFC 8292, which another library verifies")
    func verified() async throws {
        let text = try authorization("https://push.example:8443")
        let parts = try #require(text.wholeMatch(of: /vapid t=([\w-]+\.[\w-]+\.[\w-]+),k=([\w-]+)/))
        #expect(String(parts.2) == key.publicKeyText)
        let publicKey = try P256.Signing.PublicKey(x963Representation: base64URL(String(parts.2)))
        let keys = await JWTKeyCollection().add(ecdsa: try ES256PublicKey(backing: publicKey))
        let claims = try await keys.verify(String(parts.1), as: Claims.self)
        #expect(claims.aud == "https://push.example:8443")
        #expect(claims.exp == clock.unixSeconds + 12 * 3_600)
        #expect(claims.sub == "mailto:push@example.org")
        let header = try base64URL(String(parts.1.split(separator: ".")[0]))
        #expect(String(decoding: header, as: UTF8.self) == #"{"typ":"JWT","alg":"ES256"}"#)
    }

    @Test("the fields that all pushes share")
    func fields() throws {
        let values = try tokens.fields(for: "https://push.example").values
        #expect(values["content-encoding"] == "aes128gcm")
        #expect(values["content-type"] == "application/octet-stream")
        #expect(values["urgency"] == "high")
        #expect(values.count == 4)
    }

    @Test("a token is used for half of its life, and each origin has its own")
    func kept() throws {
        let first = try tokens.fields(for: "https://push.example")
        clock.advance(VAPIDTokens.use - 1)
        #expect(try tokens.fields(for: "https://push.example") === first)
        #expect(try tokens.fields(for: "https://other.example") !== first)
        clock.advance(1)
        let second = try tokens.fields(for: "https://push.example")
        #expect(second !== first)
        #expect(second.values["authorization"] != first.values["authorization"])
        #expect(second.generation == 3)
    }

    @Test("a wall clock that was set costs a new token, drift does not", arguments: [-60_001, -60_000, 60_000, 60_001])
    func jump(milliseconds: Int64) throws {
        let first = try authorization()
        clock.advance(1_000)
        clock.jump(milliseconds)
        #expect((try authorization() == first) == (abs(milliseconds) <= 60_000))
        let last = try authorization()
        clock.advance(1_000)
        #expect(try authorization() == last)
    }

    @Test("a token that was refused is made anew, once")
    func forget() throws {
        let first = try tokens.fields(for: "https://push.example")
        tokens.forget("https://push.example", first)
        let second = try tokens.fields(for: "https://push.example")
        #expect(second !== first)
        tokens.forget("https://push.example", first)
        #expect(try tokens.fields(for: "https://push.example") === second)
    }

    @Test("tokens of at most 1,024 origins are kept; the one used longest ago is forgotten")
    func bound() throws {
        for number in 0..<VAPIDTokens.maximumOrigins { _ = try tokens.fields(for: "https://h\(number).example") }
        #expect(tokens.count == 1_024)
        let oldest = try tokens.fields(for: "https://h0.example")
        #expect(oldest.generation == 1)
        _ = try tokens.fields(for: "https://new.example")
        #expect(tokens.count == 1_024)
        #expect(try tokens.fields(for: "https://h0.example") === oldest)
        #expect(try tokens.fields(for: "https://h1.example").generation == 1_026)
        #expect(tokens.count == 1_024)
    }
}
