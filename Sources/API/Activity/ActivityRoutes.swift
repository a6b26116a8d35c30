import HTTPTypes
import Hummingbird
import JSON
import KasiaProtocol
import Kaspa
import Store

/// What an address sent and received, in pages, and the current status of transactions.
struct ActivityRoutes: Sendable {
    static let defaultLimit = 50
    static let maximumLimit = 100
    /// The most transactions in one call for their status.
    static let refreshedAtOnce = 100

    let store: Store
    let network: Network
    let answer: ActivityAnswer
    let reads: Reads

    func add(to router: Router<APIRequestContext>) {
        let routes = router.group("v1/activity")
        routes.get("") { request, context in
            let read = try page(MessageQuery(request, network: network))
            return try await reads.response(to: request, context, read)
        }
        routes.post("refresh") { request, context in
            let ids = try ids(try await RequestBody.object(of: request))
            return try await reads.response(to: request, context) { _ in
                let states = try await store.history.transactionStates(ids)
                return .object([("items", .array(zip(ids, states).map(answer.state)))])
            }
        }
    }

    private func page(_ query: MessageQuery) throws -> @Sendable (ReadBudget) async throws -> JSONAnswer {
        let (address, filter, cursor) = (try query.address("address"), try filter(query), try query.cursor())
        let limit = try query.limit(default: ActivityRoutes.defaultLimit, atMost: ActivityRoutes.maximumLimit)
        return { budget in
            answer.page(
                try await store.history.activity(
                    of: address, matching: filter, before: cursor, limit: limit, budget: budget))
        }
    }

    private func filter(_ query: MessageQuery) throws -> ActivityFilter {
        var filter = ActivityFilter(includesTransfers: try query.includesTransfers())
        if let types = try query.optionalNames("types", ActivityRoutes.types) {
            filter.kinds = Set(types.compactMap(\.kind))
            filter.includesTransfers = types.contains(.transfer)
        }
        filter.directions = try query.optionalNames("direction", ActivityRoutes.directions) ?? filter.directions
        filter.statuses = try query.optionalNames("status", ActivityRoutes.statuses) ?? filter.statuses
        if query.optionalText("counterparty") != nil { filter.counterparty = try query.address("counterparty") }
        filter.since = try query.time("since") ?? 0
        filter.until = try query.time("until") ?? .max
        return filter
    }

    private func ids(_ members: [String: JSONValue]) throws -> [TransactionID] {
        guard case .array(let texts) = members["ids"] else {
            throw APIError.badRequest("ids must be a list of transaction ids")
        }
        guard texts.count <= ActivityRoutes.refreshedAtOnce else {
            throw APIError.badRequest("ids has more than \(ActivityRoutes.refreshedAtOnce) entries")
        }
        return try texts.enumerated().map { index, text in
            guard case .string(let text) = text, let id = Hash(text) else {
                throw APIError.badRequest("ids[\(index)] must be 64 hex digits")
            }
            return id
        }
    }

    /// A value of the parameter `types`.
    private enum ItemType: Hashable {
        case operation(OperationKind)
        case transfer

        var kind: OperationKind? {
            guard case .operation(let kind) = self else { return nil }
            return kind
        }
    }

    private static let types: [String: ItemType] = Dictionary(
        uniqueKeysWithValues: OperationKind.allCases.map { ($0.description, ItemType.operation($0)) }
            + [(ActivityAnswer.transfer, .transfer)])
    private static let directions = Dictionary(
        uniqueKeysWithValues: ActivityDirection.allCases.map { ($0.rawValue, $0) })
    private static let statuses = Dictionary(uniqueKeysWithValues: ActivityStatus.allCases.map { ($0.rawValue, $0) })
}

extension MessageQuery {
    /// Whether plain transfers are asked for, too.
    func includesTransfers() throws -> Bool { try optionalNames("include", ["transfers": true]) != nil }
}
