/// Why a text or bytes cannot be a device's token; the service would answer 400.
public enum PushTokenError: Error, Equatable, Sendable {
    /// Fewer or more bytes than a token of this carrier has.
    case wrongLength
    /// A character that no token of this carrier has.
    case wrongCharacter
    /// Apple's bytes that spell an FCM token or an endpoint in ASCII, or an FCM token of hex digits only.
    ///
    /// The service would take it for a token of another carrier.
    case spellsAnotherToken
    /// An endpoint that does not begin with `https://` and a host.
    case notHTTPS
}

extension PushTokenError: CustomStringConvertible {
    /// What is wrong, in a sentence that does not repeat the token.
    public var description: String {
        switch self {
        case .wrongLength: "The token is too short or too long for its carrier."
        case .wrongCharacter: "The token has a character that no token of its carrier has."
        case .spellsAnotherToken: "The service would take the token for another carrier's."
        case .notHTTPS: "The endpoint is no https URL with a host."
        }
    }
}
