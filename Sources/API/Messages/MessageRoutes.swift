import HTTPTypes
import Hummingbird
import KasiaProtocol
import Kaspa
import Store

/// The lists of operations, and one operation by its transaction id (app developer guide, "Fetch messages" and "Lists
/// for the KaChat apps").
struct MessageRoutes: Sendable {
    /// The largest page of lists that continue by block time.
    ///
    /// Apps stop at a page shorter than they asked for, so a lower maximum would lose rows.
    static let maximumTimeLimit = 500
    static let defaultInboxLimit = 100
    /// The page size that the apps ask for.
    static let defaultBroadcastLimit = 200

    let store: Store
    let network: Network
    let reads: Reads

    func add(to router: Router<APIRequestContext>) {
        list(router, "handshakes/by-sender") { .handshakesBySender(try $0.address("address")) }
        list(router, "handshakes/by-receiver") { .handshakesByReceiver(try $0.address("address")) }
        list(router, "payments/by-sender") { .paymentsBySender(try $0.address("address")) }
        list(router, "payments/by-receiver") { .paymentsByReceiver(try $0.address("address")) }
        list(router, "contextual-messages/by-sender") {
            .contextualMessages(
                sender: try $0.address("address"), alias: try $0.optionalBytes("alias", atMost: APILimits.aliasBytes))
        }
        list(router, "self-stash/by-owner") {
            .selfStashes(
                owner: try $0.address("owner"), scope: try $0.optionalBytes("scope", atMost: APILimits.scopeBytes))
        }
        list(router, "group-messages/by-blinded-group-id") {
            .groupMessages(try $0.bytes("blinded_group_id", count: 32))
        }
        list(router, "group-control/by-sender") { .groupControlsBySender(try $0.address("sender", or: "address")) }
        list(router, "group-control/by-recipient") {
            .groupControlsByRecipient(try $0.address("recipient", or: "address").groupControlKey())
        }
        list(router, "broadcasts/by-channel") { .broadcasts(channel: Array(try $0.text("channel").utf8)) }
        addSingleMessages(to: router)
        router.get("contextual-messages/by-inbox") { request, context in
            let read = try inbox(MessageQuery(request, network: network))
            return try await reads.response(to: request, context) { _ in try await read() }
        }
        router.get("get-broadcasts") { request, context in
            let read = try broadcasts(MessageQuery(request, network: network))
            return try await reads.response(to: request, context, read)
        }
        BatchRoutes(store: store, network: network, reads: reads).add(to: router)
    }

    private func addSingleMessages(to router: Router<APIRequestContext>) {
        router.get("v1/messages/{tx_id}") { request, context in
            let id = try id(context.parameters.get("tx_id") ?? "")
            return try await reads.response(to: request, context) { _ in
                guard let operation = try await store.history.operation(id) else {
                    throw APIError(status: .notFound, message: "no operation of this transaction is known")
                }
                return MessageItem(operation, on: network).whole
            }
        }
        router.get("contextual-messages/by-txid") { request, context in
            let id = try id(try MessageQuery(request, network: network).text("tx_id"))
            return try await reads.response(to: request, context) { _ in
                guard let operation = try await store.history.operation(id), operation.kind == .contextualMessage else {
                    throw APIError(status: .notFound, message: "no contextual message of this transaction is known")
                }
                return MessageItem(operation, on: network).listed
            }
        }
    }

    private func list(
        _ router: Router<APIRequestContext>, _ path: String,
        _ list: @escaping @Sendable (MessageQuery) throws -> OperationList
    ) {
        router.get(RouterPath(path)) { request, context in
            let query = MessageQuery(request, network: network)
            let (list, time, cursor) = (try list(query), try query.time("block_time") ?? 0, try query.cursor())
            let limit = try query.limit()
            return try await reads.response(to: request, context) { _ in
                .rows(
                    try await store.history.operations(in: list, from: time, after: cursor, limit: limit), on: network)
            }
        }
    }

    private func id(_ text: String) throws -> TransactionID {
        guard let id = Hash(text) else { throw APIError.badRequest("tx_id must be 64 hex digits") }
        return id
    }

    private func inbox(_ query: MessageQuery) throws -> @Sendable () async throws -> JSONAnswer {
        let list = OperationList.inboxMessages(try query.bytes("tag", count: 16))
        let time = try query.time("block_time") ?? 0
        let limit = try query.limit(
            default: MessageRoutes.defaultInboxLimit, atMost: MessageRoutes.maximumTimeLimit)
        return {
            .rows(
                try await store.history.operations(inAnyOf: [list], laterThan: time, limit: limit, ending: .afterTime),
                on: network)
        }
    }

    private func broadcasts(_ query: MessageQuery) throws -> @Sendable (ReadBudget) async throws -> JSONAnswer {
        let (name, before) = (try query.text("channel"), try query.time("before"))
        let limit = try query.limit(
            default: MessageRoutes.defaultBroadcastLimit, atMost: MessageRoutes.maximumTimeLimit)
        // A channel whose name is not valid has no broadcasts.
        guard let channel = ChannelName(name) else { return { _ in broadcastPage([], hasMore: false) } }
        return { budget in
            let page = try await store.history.broadcasts(in: channel, before: before, limit: limit, budget: budget)
            return broadcastPage(
                page.operations.map { MessageItem($0, on: network).broadcast(in: channel) }, hasMore: page.hasMore)
        }
    }

    private func broadcastPage(_ rows: [JSONAnswer], hasMore: Bool) -> JSONAnswer {
        .object([("messages", .array(rows)), ("hasMore", .boolean(hasMore))])
    }
}

extension JSONAnswer {
    /// The rows of a list.
    static func rows(_ operations: [OperationRecord], on network: Network) -> JSONAnswer {
        .array(operations.map { MessageItem($0, on: network).listed })
    }
}

extension Address {
    /// The key that group control messages to this address name.
    func groupControlKey() throws -> [UInt8] {
        guard let key = xOnlyPublicKey else {
            throw APIError.badRequest("\(self) is a script's address: group control is addressed to keys")
        }
        return key
    }
}
