import Hummingbird
import Kaspa
import Store

/// What the app fetches for all of its groups in one call (apps-in-the-field.md, L5a to L5c).
///
/// Envelopes are in camel case, rows as in the lists. A call costs at most a seek for each of 257 lists, and then as
/// many look-ups as it shows rows; an answer carries some 4 MiB of payloads at most, twice that in hex.
struct BatchRoutes: Sendable {
    static let defaultLimit = 200
    static let maximumLimit = MessageRoutes.maximumTimeLimit

    let store: Store
    let network: Network

    func add(to router: Router<APIRequestContext>) {
        post(router, "group-messages/by-blinded-group-ids", pages)
        post(router, "group-messages/since") { body in
            let ids = try body.texts("blindedGroupIds", atMost: APILimits.mergedLists, BatchRoutes.groupID)
            return try since(body, ids.map { .groupMessages($0) }, named: "messages")
        }
        post(router, "group-control/since") { body in
            try since(body, try groupControlLists(body), named: "controls")
        }
    }

    private func post(
        _ router: Router<APIRequestContext>, _ path: String,
        _ answer: @escaping @Sendable (MemberReader) throws -> JSONAnswer
    ) {
        router.post(RouterPath(path)) { request, _ in
            let body = try MemberReader(.object(try await RequestBody.object(of: request)), name: "")
            return JSONAnswer.response(.ok, try answer(body))
        }
    }

    /// One query of `/group-messages/by-blinded-group-ids`.
    private struct Query {
        /// As it was written, for the answer.
        let text: String
        let id: [UInt8]
        let cursor: OperationPosition?
        let limit: Int

        init(_ value: JSONValue, name: String) throws {
            let members = try MemberReader(value, name: name)
            text = try members.text("blindedGroupId")
            id = try BatchRoutes.groupID(text, name: "\(name).blindedGroupId")
            cursor = try members.present("cursor").flatMap { _ in try members.text("cursor") }
                .flatMap { $0.isEmpty ? nil : try OperationPosition.parse($0, naming: "\(name).cursor") }
            limit = try members.limit(default: MessageQuery.defaultLimit, atMost: MessageQuery.maximumLimit)
        }
    }

    /// Each query's page is what the GET answers, until all of them together are too large: those behind are empty then.
    ///
    /// The app asks again for as long as any page is full, each time from its cursors, so that their turn comes.
    private func pages(_ body: MemberReader) throws -> JSONAnswer {
        let queries = try body.list("queries", atMost: APILimits.batchedQueries) { try Query($0, name: $1) }
        var bytes = 0
        let results = try queries.map { query in
            let operations =
                bytes < Store.timePageBytes
                ? try store.operations(in: .groupMessages(query.id), after: query.cursor, limit: query.limit) : []
            bytes += operations.reduce(0) { $0 + $1.payload.count }
            return JSONAnswer.object([
                ("blindedGroupId", .string(query.text)), ("messages", .rows(operations, on: network)),
            ])
        }
        return .object([("results", .array(results))])
    }

    private func groupControlLists(_ body: MemberReader) throws -> [OperationList] {
        let senders =
            body.present("senders") == nil
            ? []
            : try body.texts("senders", atMost: APILimits.mergedLists) {
                OperationList.groupControlsBySender(try Address.parse($0, naming: $1, on: network))
            }
        guard body.present("recipient") != nil else {
            guard !senders.isEmpty else { throw APIError.badRequest("give senders, a recipient, or both") }
            return senders
        }
        let recipient = try Address.parse(try body.text("recipient"), naming: "recipient", on: network)
        return senders + [.groupControlsByRecipient(try recipient.groupControlKey())]
    }

    private func since(_ body: MemberReader, _ lists: [OperationList], named name: String) throws -> JSONAnswer {
        let time = body.present("sinceBlockTime") == nil ? 0 : try body.integer("sinceBlockTime")
        let limit = try body.limit(default: BatchRoutes.defaultLimit, atMost: BatchRoutes.maximumLimit)
        let operations = try store.operations(inAnyOf: lists, laterThan: time, limit: limit, ending: .beforeTime)
        return .object([
            (name, .rows(operations, on: network)),
            ("latestBlockTime", .integer(operations.last?.blockTime ?? time)),
        ])
    }

    private static func groupID(_ text: String, name: String) throws -> [UInt8] {
        guard let id = Hex.decode(text), id.count == APILimits.groupIDBytes else {
            throw APIError.badRequest("\(name) must be 64 hex digits")
        }
        return id
    }
}
