/// What a device was told after a number that it knows; the service keeps it for 7 days, the newest 1,000.
public struct MissedPushes: Hashable, Sendable, Codable {
    /// In the order of `sequence`, at most 100: ask again after the last one until there are none.
    public var items: [MissedPush]
    /// The last number given out; 0 before the first.
    public var latestSequence: UInt64
    /// The first number that is still kept; nil when none is.
    ///
    /// If it is greater than the last known number plus one, pushes between the two can no longer be listed.
    public var oldestSequence: UInt64?

    /// Takes the members of an answer.
    public init(items: [MissedPush], latestSequence: UInt64, oldestSequence: UInt64?) {
        self.items = items
        self.latestSequence = latestSequence
        self.oldestSequence = oldestSequence
    }

    private enum CodingKeys: String, CodingKey {
        case items
        case latestSequence = "latest_seq"
        case oldestSequence = "oldest_seq"
    }
}

/// A push that a device was sent, without its payload: that is fetched by the transaction's id.
public struct MissedPush: Hashable, Sendable, Codable {
    /// The number of the push for this device, from 1.
    public var sequence: UInt64
    /// What the push was about.
    public var kind: Kind
    /// The transaction, 64 hex digits.
    public var transactionID: String
    /// The sender's address; empty if it could not be resolved.
    public var sender: String
    /// The block's time, milliseconds since 1970.
    public var timestamp: UInt64
    /// Sompi: what was paid, or what the addresses of `watchOnlyAddresses` get.
    public var amount: UInt64?
    /// Of `addressActivity`: an address of `watchOnlyAddresses` that is paid.
    public var address: String?
    /// Of `groupMessage`: the group, 64 hex digits.
    public var blindedGroupID: String?
    /// True for a message to the inbox tag, whose sender may be a stranger; else nil.
    public var isToInbox: Bool?

    /// What a push was about; a newer service may have others.
    public struct Kind: RawRepresentable, Hashable, Sendable, Codable {
        /// The name as it is sent.
        public let rawValue: String

        /// Takes any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A message of a conversation, or to the inbox tag.
        public static let contextualMessage = Kind(rawValue: "contextual_message")
        /// A payment.
        public static let payment = Kind(rawValue: "payment")
        /// A handshake.
        public static let handshake = Kind(rawValue: "handshake")
        /// A message of a group.
        public static let groupMessage = Kind(rawValue: "group_message")
        /// A group's control message.
        public static let groupControl = Kind(rawValue: "group_control")
        /// A broadcast of a channel.
        public static let broadcast = Kind(rawValue: "broadcast")
        /// A plain transfer to an address of `watchOnlyAddresses`.
        public static let addressActivity = Kind(rawValue: "address_activity")
        /// A payment that was pushed is no longer accepted.
        public static let paymentReverted = Kind(rawValue: "payment_reverted")
    }

    /// Takes the members that every item has.
    public init(sequence: UInt64, kind: Kind, transactionID: String, sender: String, timestamp: UInt64) {
        self.sequence = sequence
        self.kind = kind
        self.transactionID = transactionID
        self.sender = sender
        self.timestamp = timestamp
    }

    private enum CodingKeys: String, CodingKey {
        case sender, timestamp, amount, address
        case sequence = "seq"
        case kind = "type"
        case transactionID = "tx_id"
        case blindedGroupID = "blinded_group_id"
        case isToInbox = "inbox"
    }
}
