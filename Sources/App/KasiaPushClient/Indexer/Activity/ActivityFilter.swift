/// Which items of an address's activity are asked for; an empty set asks for all.
public struct ActivityFilter: Hashable, Sendable, Codable {
    /// Only items of these types; empty: all operations, and plain transfers if `includesTransfers`.
    public var types: Set<ActivityType>
    /// Whether plain transfers are asked for, too; not looked at if there are `types`.
    public var includesTransfers: Bool
    /// Only what goes one of these ways.
    public var directions: Set<ActivityDirection>
    /// Only what stands so in the chain.
    public var statuses: Set<ActivityStatus>
    /// Only what has this address at the other end.
    public var counterparty: String?
    /// The least block time, milliseconds since 1970.
    public var since: UInt64?
    /// The greatest block time, milliseconds since 1970.
    public var until: UInt64?

    /// Asks for all operations and no plain transfers, unless given otherwise.
    public init(
        types: Set<ActivityType> = [], includesTransfers: Bool = false, directions: Set<ActivityDirection> = [],
        statuses: Set<ActivityStatus> = [], counterparty: String? = nil, since: UInt64? = nil, until: UInt64? = nil
    ) {
        self.types = types
        self.includesTransfers = includesTransfers
        self.directions = directions
        self.statuses = statuses
        self.counterparty = counterparty
        self.since = since
        self.until = until
    }

    /// Whether plain transfers are wanted.
    var wantsTransfers: Bool { types.isEmpty ? includesTransfers : types.contains(.transfer) }

    /// Whether the service would list an item: streams are not filtered by the service.
    func admits(_ item: ActivityItem) -> Bool {
        (types.isEmpty ? includesTransfers || item.type != .transfer : types.contains(item.type))
            && (directions.isEmpty || directions.contains(item.direction))
            && (statuses.isEmpty || statuses.contains(item.status))
            && (counterparty == nil || counterparty?.lowercased() == item.counterparty)
            && item.blockTime >= since ?? 0 && item.blockTime <= until ?? .max
    }

    /// The query parameters, sorted so that equal filters make equal requests.
    var query: [(String, String)] {
        func names<Name: RawRepresentable<String>>(_ set: Set<Name>) -> String? {
            set.isEmpty ? nil : set.map(\.rawValue).sorted().joined(separator: ",")
        }
        return [
            ("include", wantsTransfers ? "transfers" : nil), ("types", names(types)),
            ("direction", names(directions)), ("status", names(statuses)), ("counterparty", counterparty),
            ("since", since.map(String.init)), ("until", until.map(String.init)),
        ].compactMap { name, value in value.map { (name, $0) } }
    }
}
