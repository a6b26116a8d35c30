import FoundationEssentials
import JWTKit

/// The two claims of Apple's provider token.
struct ProviderTokenClaims: JWTPayload {
    /// The team id.
    let iss: String
    /// When it was signed: a JSON number of seconds, which the default decoder insists on.
    let iat: Date

    func verify(using algorithm: some JWTAlgorithm) {
        // Team and age are judged by ProviderTokenVerifier, which has the clock.
    }
}
