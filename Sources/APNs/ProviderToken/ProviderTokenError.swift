/// Why there is no provider token: the operator's key or names, or the storage.
public struct ProviderTokenError: Error, Equatable, CustomStringConvertible {
    /// What is at fault.
    public enum Code: Sendable, Equatable {
        /// The team id or the key id cannot be in a token.
        case invalidIdentifier
        /// The key is not a P-256 private key in PEM.
        case invalidKey
        /// The kept token could not be read or written.
        case storage
        /// Signing failed.
        case signing
    }

    /// What is at fault.
    public var code: Code
    /// One readable sentence; it never contains the key.
    public var description: String
}
