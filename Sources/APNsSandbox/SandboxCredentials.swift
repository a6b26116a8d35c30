public import FoundationEssentials
import Crypto
import JWTKit

/// A generated team id, key id and `.p8` key, like those that Apple gives a developer.
public struct SandboxCredentials: Sendable {
    /// Ten capital letters and digits.
    public let teamID: String
    /// Ten capital letters and digits.
    public let keyID: String
    /// The private key, PKCS#8 in PEM, exactly as a `.p8` file holds it.
    public let privateKeyPEM: String
    /// The public key in PEM.
    public let publicKeyPEM: String

    /// The same key under another id, for tests of a key rotation.
    public func renamed(keyID: String) -> SandboxCredentials {
        SandboxCredentials(
            teamID: teamID, keyID: keyID, privateKeyPEM: privateKeyPEM, publicKeyPEM: publicKeyPEM)
    }

    /// Generates new credentials.
    public static func generate() -> SandboxCredentials {
        let key = P256.Signing.PrivateKey()
        return SandboxCredentials(
            teamID: identifier(), keyID: identifier(), privateKeyPEM: key.pemRepresentation,
            publicKeyPEM: key.publicKey.pemRepresentation)
    }

    /// Signs a provider token (an ES256 JWT) issued at `date`.
    ///
    /// - Throws: JWTKit's error, only if the key is damaged.
    public func providerToken(issuedAt date: Date) async throws -> String {
        let keys = JWTKeyCollection()
        await keys.add(ecdsa: try ES256PrivateKey(pem: privateKeyPEM), kid: JWKIdentifier(string: keyID))
        return try await keys.sign(
            ProviderTokenClaims(iss: teamID, iat: date), kid: JWKIdentifier(string: keyID))
    }

    private static func identifier() -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        return String((0..<10).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] })
    }
}
