/// The members of a registration that its signature covers.
///
/// Everything else of it (format, channels, watch-only addresses, the VoIP token) is not signed.
public struct SignedLists: Hashable, Sendable {
    /// The member `watched_addresses`.
    public var watchedAddresses: [String]
    /// The member `watched_group_ids`, 64 hex digits each; nil when the call has no such member.
    ///
    /// Version 1 signs a line for groups only if there is one, even an empty one.
    public var watchedGroupIDs: [String]?
    /// The member `capabilities`; only version 2 can sign any.
    public var capabilities: [String]
    /// The member `aliases`, whose case counts.
    public var aliases: [String]
    /// The member `primary_address`.
    public var primaryAddress: String?

    /// Takes the lists as the call has them: trimmed or not, in any order, with repeats.
    public init(
        watchedAddresses: [String] = [], watchedGroupIDs: [String]? = nil, capabilities: [String] = [],
        aliases: [String] = [], primaryAddress: String? = nil
    ) {
        self.watchedAddresses = watchedAddresses
        self.watchedGroupIDs = watchedGroupIDs
        self.capabilities = capabilities
        self.aliases = aliases
        self.primaryAddress = primaryAddress
    }

    /// What every call but register, update and ring signs.
    public static let empty = SignedLists()

    /// What a ring signs: the caller's wallet as the primary address, and nothing else.
    public static func ring(from caller: String) -> SignedLists { SignedLists(primaryAddress: caller) }
}
