/// A provider token as it goes on the wire.
///
/// Its description hides it.
public struct ProviderToken: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The signed JWT: a secret for an hour.
    public let jwt: String
    /// The claim `iat`, UNIX seconds.
    public let issuedAt: UInt64

    /// Names the token by its time of issue; the JWT is not in it.
    public var description: String { "provider token issued at \(issuedAt)" }
    /// The same as `description`.
    public var debugDescription: String { description }
}

/// A provider token as it is kept across restarts, with what it was made of.
public struct StoredProviderToken: Sendable, Hashable, Codable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The signed JWT.
    public var jwt: String
    /// The claim `iat`, UNIX seconds.
    public var issuedAt: UInt64
    /// The team it speaks for.
    public var teamID: String
    /// The key it names.
    public var keyID: String
    /// SHA-256 of the public key: a token of another key is not used, whatever its names.
    public var keyFingerprint: String

    /// Creates a stored token out of its fields.
    public init(jwt: String, issuedAt: UInt64, teamID: String, keyID: String, keyFingerprint: String) {
        self.jwt = jwt
        self.issuedAt = issuedAt
        self.teamID = teamID
        self.keyID = keyID
        self.keyFingerprint = keyFingerprint
    }

    /// Names the token by its key and its time of issue; the JWT is not in it.
    public var description: String { "stored provider token of key \(keyID) issued at \(issuedAt)" }
    /// The same as `description`.
    public var debugDescription: String { description }
}

/// Where the provider token survives a restart, so that a process that restarts in a loop does not mint at each start.
public protocol ProviderTokenStorage: Sendable {
    /// The token last saved, or nil. An error keeps the client from sending: it cannot know when it last minted.
    func load() async throws -> StoredProviderToken?
    /// Keeps `token` in the place of the `old` one, which was loaded or saved before; durable when it returns.
    ///
    /// Returns the one that is kept then: another one's, if that has replaced the old one meanwhile.
    func save(_ token: StoredProviderToken, replacing old: StoredProviderToken?) async throws -> StoredProviderToken
}
