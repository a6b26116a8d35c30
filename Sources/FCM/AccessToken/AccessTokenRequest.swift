import Clocks
import HTTP2Client
import JWTKit

/// A request for an access token (RFC 7523): a JWT that the service account signed.
struct AccessTokenRequest: Sendable {
    /// What the token may do: send, and nothing else.
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// How long the JWT is good for, in seconds: Google's limit.
    static let lifetimeSeconds: UInt64 = 3_600
    /// How far back its `iat` lies, in seconds.
    ///
    /// Google refuses a JWT from the future, and this machine's clock may be ahead by so much before it counts as wrong.
    /// The JWT is used at once: with a clock that is behind it is still good for fifty minutes.
    static let backdatedSeconds = ClockSkew.tolerated / 1_000

    /// The fields of every request.
    static let fields = SharedFields(
        [HeaderField("content-type", "application/x-www-form-urlencoded"), HeaderField("accept", "application/json")],
        generation: 1)

    let http: HTTPRequest

    /// Signs a request at this time, UNIX seconds.
    init(_ account: ServiceAccount, unixSeconds: UInt64) async throws(AccessTokenError) {
        let jwt: String
        let issuedAt = unixSeconds - min(unixSeconds, AccessTokenRequest.backdatedSeconds)
        do {
            let kid = JWKIdentifier(string: account.privateKeyID)
            jwt = try await JWTKeyCollection()
                .add(rsa: account.key, digestAlgorithm: .sha256, kid: kid)
                .sign(
                    Claims(
                        iss: account.clientEmail, scope: AccessTokenRequest.scope, aud: account.tokenURI,
                        iat: issuedAt, exp: issuedAt + AccessTokenRequest.lifetimeSeconds), kid: kid)
        } catch {
            // The library's own error is left out: it may quote the key.
            throw AccessTokenError(kind: .refused, description: "the service account's key cannot sign")
        }
        let grant = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
        http = HTTPRequest(
            path: account.tokenAddress.path, fields: [],
            // A JWT has no character that a form escapes.
            body: Array("grant_type=\(grant)&assertion=\(jwt)".utf8))
    }
}

/// The claims that Google asks for; times are numbers.
private struct Claims: JWTPayload {
    var iss: String
    var scope: String
    var aud: String
    var iat: UInt64
    var exp: UInt64

    func verify(using algorithm: some JWTAlgorithm) async throws {}
}
