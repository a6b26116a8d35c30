/// A page of what an address sent and received, newest first.
public struct ActivityPage: Hashable, Sendable, Codable {
    /// At most 100; a page can have fewer than were asked for, even none, and not be the last.
    public var items: [ActivityItem]
    /// Whether there are older ones.
    public var hasMore: Bool
    /// For the next page; nil on the last.
    public var nextCursor: String?

    private enum CodingKeys: String, CodingKey {
        case items
        case hasMore = "has_more"
        case nextCursor = "next_cursor"
    }
}
