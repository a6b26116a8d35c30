/// What `POST /v1/push/challenge` answers: a nonce for one signed call within a minute.
public struct PushChallenge: Hashable, Sendable, Codable {
    /// 32 hex digits.
    public let nonce: String
    /// When the service made it, by the service's clock, in milliseconds since 1970.
    ///
    /// Signed calls send it as their own time, as the phone's clock may be wrong.
    public let issuedAt: Int64
    /// When it ends, in milliseconds since 1970.
    public let expiresAt: Int64

    /// Takes the members of an answer.
    public init(nonce: String, issuedAt: Int64, expiresAt: Int64) {
        self.nonce = nonce
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    private enum CodingKeys: String, CodingKey {
        case nonce
        case issuedAt = "issued_at_ms"
        case expiresAt = "expires_at_ms"
    }
}
