import HTTPTypes
import Hummingbird
import Kaspa
import Store

/// What the app fetches: lists of operations, and one by its transaction id (http-api.md, Messages).
struct MessageRoutes: Sendable {
    let store: Store
    let network: Network

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
        list(router, "group-control/by-sender") { .groupControlsBySender(try $0.address("address")) }
        list(router, "group-control/by-recipient") {
            guard let key = try $0.address("address").xOnlyPublicKey else {
                throw APIError.badRequest("address is a script's: group control is addressed to keys")
            }
            return .groupControlsByRecipient(key)
        }
        list(router, "broadcasts/by-channel") { .broadcasts(channel: Array(try $0.text("channel").utf8)) }
        router.get("v1/messages/{tx_id}") { _, context in try message(context.parameters.get("tx_id") ?? "") }
    }

    private func list(
        _ router: Router<APIRequestContext>, _ path: String,
        _ list: @escaping @Sendable (MessageQuery) throws -> OperationList
    ) {
        router.get(RouterPath(path)) { request, _ in
            let query = MessageQuery(request, network: network)
            let operations = try store.operations(
                in: try list(query), from: try query.time("block_time") ?? 0, after: try query.cursor(),
                limit: try query.limit())
            return JSONAnswer.response(.ok, .array(operations.map { MessageItem($0).listed }))
        }
    }

    private func message(_ text: String) throws -> Response {
        guard let id = Hash(text) else { throw APIError.badRequest("tx_id must be 64 hex digits") }
        guard let operation = try store.operation(id) else {
            throw APIError(status: .notFound, message: "no operation of this transaction is known")
        }
        return JSONAnswer.response(.ok, MessageItem(operation).whole)
    }
}
