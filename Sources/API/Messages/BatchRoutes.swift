import Hummingbird
import JSON
import Kaspa
import Store

/// Fetches the messages of many groups in one call (app developer guide, "Lists for the KaChat apps").
///
/// Envelopes are in camel case, rows as in the lists. A call costs at most a seek for each of 257 lists, and then as
/// many look-ups as it shows rows, 3,200 at most; an answer carries some 4 MiB of payloads at most, twice that in hex.
/// Their answers have no cursor, and their readers take a short page for the last, so that no budget of time ends one
/// early: the pages of several groups are read in several turns instead.
struct BatchRoutes: Sendable {
    static let defaultLimit = 200
    static let maximumLimit = MessageRoutes.maximumTimeLimit

    let store: Store
    let network: Network
    let reads: Reads

    func add(to router: Router<APIRequestContext>) {
        router.post("group-messages/by-blinded-group-ids") { request, context in
            let body = try await body(of: request)
            let queries = try body.list("queries", atMost: APILimits.batchedQueries) { try Query($0, name: $1) }
            return try await pages(queries, request, context)
        }
        since(router, "group-messages/since", named: "messages") { body in
            try body.texts("blindedGroupIds", atMost: APILimits.mergedLists, BatchRoutes.groupID)
                .map { .groupMessages($0) }
        }
        since(router, "group-control/since", named: "controls", groupControlLists)
    }

    private func body(of request: Request) async throws -> MemberReader {
        try MemberReader(.object(try await RequestBody.object(of: request)), name: "")
    }

    /// One query of `/group-messages/by-blinded-group-ids`.
    private struct Query: Sendable {
        /// The text of the request, for the answer.
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

    /// Each query's page is that of the GET, until all pages together are too large.
    ///
    /// Later ones are then empty. The app asks again from its cursors as long as any page is full, so later queries get
    /// their turn.
    private func pages(
        _ queries: [Query], _ request: Request, _ context: APIRequestContext
    ) async throws -> Response {
        let client = reads.client(request, context)
        try reads.admit(client)
        var (results, bytes): ([JSONAnswer], Int) = ([], 0)
        // Queries that do not fit into one read's time are read in the next turn.
        while results.count < queries.count {
            let (rest, before) = (queries.dropFirst(results.count), bytes)
            let (read, sum) = try await reads.run(client) { budget in
                var (read, bytes): ([JSONAnswer], Int) = ([], before)
                for query in rest {
                    guard read.isEmpty || !budget.isOver else { break }
                    let operations = try await page(query, before: bytes)
                    bytes += operations.reduce(0) { $0 + $1.payload.count }
                    read.append(answer(query, operations))
                }
                return (read, bytes)
            }
            results += read
            bytes = sum
        }
        return JSONAnswer.response(.ok, .object([("results", .array(results))]))
    }

    /// The page of a query; empty once the pages before it are too large.
    private func page(_ query: Query, before bytes: Int) async throws(StoreError) -> [OperationRecord] {
        guard bytes < History.timePageBytes else { return [] }
        return try await store.history.operations(
            in: .groupMessages(query.id), after: query.cursor, limit: query.limit)
    }

    private func answer(_ query: Query, _ operations: [OperationRecord]) -> JSONAnswer {
        .object([("blindedGroupId", .string(query.text)), ("messages", .rows(operations, on: network))])
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

    private func since(
        _ router: Router<APIRequestContext>, _ path: RouterPath, named name: String,
        _ lists: @escaping @Sendable (MemberReader) throws -> [OperationList]
    ) {
        router.post(path) { request, context in
            let body = try await body(of: request)
            let lists = try lists(body)
            let time = body.present("sinceBlockTime") == nil ? 0 : try body.integer("sinceBlockTime")
            let limit = try body.limit(default: BatchRoutes.defaultLimit, atMost: BatchRoutes.maximumLimit)
            return try await reads.response(to: request, context) { _ in
                let operations = try await store.history.operations(
                    inAnyOf: lists, laterThan: time, limit: limit, ending: .beforeTime)
                return .object([
                    (name, .rows(operations, on: network)),
                    ("latestBlockTime", .integer(operations.last?.blockTime ?? time)),
                ])
            }
        }
    }

    private static func groupID(_ text: String, name: String) throws -> [UInt8] {
        guard let id = Hex.decode(text), id.count == APILimits.groupIDBytes else {
            throw APIError.badRequest("\(name) must be 64 hex digits")
        }
        return id
    }
}
