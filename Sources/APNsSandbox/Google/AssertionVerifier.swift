import Crypto
import CryptoExtras
import FoundationEssentials
import JWTKit

/// Checks the assertion with which a service account asks for an access token: a JWT signed with RS256.
struct AssertionVerifier: Sendable {
    /// The longest time from `iat` to `exp`.
    static let longestLifetimeSeconds: Double = 3600
    /// The token endpoint's own address at Google, which Google's client libraries name whatever `token_uri` says.
    static let googleTokenURI = "https://oauth2.googleapis.com/token"
    /// One of these lets an account send messages.
    static let scopes = [
        "https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform",
    ]

    private let clientEmail: String
    private let keyID: String
    private let key: _RSA.Signing.PublicKey

    init(_ standIn: GoogleStandIn) throws(SandboxError) {
        clientEmail = standIn.clientEmail
        keyID = standIn.privateKeyID
        guard let key = try? _RSA.Signing.PrivateKey(pemRepresentation: standIn.privateKeyPEM) else {
            throw SandboxError(.invalidKey, "The key \(keyID) is not an RSA key of at least 2048 bits in PEM.")
        }
        self.key = key.publicKey
    }

    /// What is wrong with `assertion`; nil if it is good.
    func fault(of assertion: String, tokenURIs: Set<String>, at now: Date) -> TokenEndpointError? {
        let bytes = Array(assertion.utf8)
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")),
            let (header, claims, signature) = try? DefaultJWTParser().parse(bytes, as: AssertionClaims.self)
        else { return .invalidGrant("The assertion is not a JWT with the claims iss, scope, aud, iat and exp.") }
        guard header.alg == "RS256" else { return .invalidGrant("The assertion must be signed with RS256.") }
        guard claims.iss == clientEmail else { return .invalidGrant("There is no such account as iss names.") }
        guard header.kid == keyID else { return .invalidGrant("The account has no key of this kid.") }
        let isSigned = key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: bytes[..<dot]),
            padding: .insecurePKCS1v1_5)
        guard isSigned else { return .invalidGrant("The assertion's signature is not valid.") }
        guard tokenURIs.contains(claims.aud) || claims.aud == Self.googleTokenURI else {
            return .invalidGrant("The claim aud must be the token endpoint's address.")
        }
        guard Self.isTimely(claims, at: now) else {
            return .invalidGrant("The claims iat and exp must be at most an hour apart, with the time between them.")
        }
        guard claims.scope.split(separator: " ").contains(where: { Self.scopes.contains(String($0)) }) else {
            return TokenEndpointError(code: "invalid_scope", description: "The scope does not let the account send.")
        }
        return nil
    }

    private static func isTimely(_ claims: AssertionClaims, at now: Date) -> Bool {
        let time = now.timeIntervalSince1970
        return claims.iat <= time && time < claims.exp && claims.exp - claims.iat <= longestLifetimeSeconds
    }
}

/// The claims of an assertion; times are UNIX seconds.
private struct AssertionClaims: JWTPayload {
    let iss: String
    let scope: String
    let aud: String
    let iat: Double
    let exp: Double

    func verify(using algorithm: some JWTAlgorithm) {
        // AssertionVerifier checks the claims: it has the clock.
    }
}
