/// Which messages of a group are asked for, in a call for many groups.
public struct GroupQuery: Hashable, Sendable, Codable {
    /// The blinded group id, 64 hex digits.
    public var blindedGroupID: String
    /// The `cursor` of the last row seen; nil from the beginning.
    public var cursor: String?
    /// The most rows of this group; more than 50 are 50, nil is 10.
    public var limit: Int?

    /// Makes a query.
    public init(blindedGroupID: String, cursor: String? = nil, limit: Int? = nil) {
        self.blindedGroupID = blindedGroupID
        self.cursor = cursor
        self.limit = limit
    }

    private enum CodingKeys: String, CodingKey {
        case cursor, limit
        case blindedGroupID = "blindedGroupId"
    }
}

/// The page of one group, in the answer of a call for many.
public struct GroupPage: Hashable, Sendable, Codable {
    /// The blinded group id, as it was asked for.
    public var blindedGroupID: String
    /// The next rows, oldest first; empty at the end, and once the pages before it have 4 MiB of payloads.
    public var messages: [GroupMessageRow]

    private enum CodingKeys: String, CodingKey {
        case messages
        case blindedGroupID = "blindedGroupId"
    }
}

/// What is new in several groups, oldest first.
public struct NewGroupMessages: Hashable, Sendable, Codable {
    /// The rows; those of one block time are always together.
    public var messages: [GroupMessageRow]
    /// What to ask with next: the last row's block time, or the time that was asked for when there are none.
    public var latestBlockTime: UInt64
}

/// What is new among control messages, oldest first.
public struct NewGroupControls: Hashable, Sendable, Codable {
    /// The rows; those of one block time are always together.
    public var controls: [GroupControlRow]
    /// What to ask with next: the last row's block time, or the time that was asked for when there are none.
    public var latestBlockTime: UInt64
}

/// The body of `/group-messages/by-blinded-group-ids`.
struct GroupQueriesBody: Encodable {
    let queries: [GroupQuery]
}

/// The answer of `/group-messages/by-blinded-group-ids`.
struct GroupPages: Decodable {
    let results: [GroupPage]
}

/// The body of `/group-messages/since`.
struct GroupMessagesSinceBody: Encodable {
    let blindedGroupIds: [String]
    let sinceBlockTime: UInt64
    let limit: Int?
}

/// The body of `/group-control/since`.
struct GroupControlsSinceBody: Encodable {
    let senders: [String]?
    let recipient: String?
    let sinceBlockTime: UInt64
    let limit: Int?
}
