/// Somebody whom the user knows.
public struct Contact: Hashable, Sendable, Codable {
    /// The address, in lower case with its prefix.
    public var address: String
    /// The name that the user gave; nil: the address is shown, shortened.
    public var name: String?
    /// Whether nothing of this contact is shown.
    public var isMuted: Bool
    /// Where the app keeps the key that it shares with the contact; never the key itself.
    public var sharedKeyReference: String?

    /// Takes what is known.
    public init(address: String, name: String? = nil, isMuted: Bool = false, sharedKeyReference: String? = nil) {
        self.address = address
        self.name = name
        self.isMuted = isMuted
        self.sharedKeyReference = sharedKeyReference
    }
}

/// Where contacts are found, such as the store that app and extension share.
public protocol ContactLookup: Sendable {
    /// The contact with this address, in lower case with its prefix; nil for a stranger.
    func contact(_ address: String) throws -> Contact?
}
