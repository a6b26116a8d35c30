import HTTPTypes
import Hummingbird
import HummingbirdCore
import KasiaProtocol
import Kaspa
import Push
import Store

/// `/v1/push/missed`: the pushes of a device after a `seq` (app developer guide, "Fetch what was missed").
///
/// By GET in the modes `legacy` and `mixed`; by POST with a signature, which `strict` requires. A token that is not
/// registered is 404: the app must register again, and numbers start anew. The default limit is the largest, 100, since
/// an app wants all that it missed. The call counts as reading of the history.
struct MissedRoute: Sendable {
    static let maximumLimit = 100

    let registry: DeviceRegistry
    let authorizer: RegistrationAuthorizer
    let reads: Reads

    private var isStrict: Bool { authorizer.configuration.authenticationMode == .strict }

    func add(to routes: RouterGroup<APIRequestContext>) {
        routes.get("missed") { request, context in try await missed(request, context) }
        routes.post("missed") { request, context in
            let client = reads.client(request, context)
            return try await authorizer.answer("missed", request, context) { try await signedMissed($0, client) }
        }
    }

    private func missed(_ request: Request, _ context: APIRequestContext) async throws -> Response {
        guard !isStrict else { throw APIError.unauthorized("auth is required: send it with POST") }
        let parameters = request.uri.formParameters
        guard let text = parameters["device_token"] else { throw APIError.badRequest("device_token is missing") }
        let token = try DeviceToken(String(text)).bytes
        let (after, limit) = (try after(parameters["after"]), try limit(parameters["limit"]))
        return try await reads.response(to: request, context) { _ in
            try answer(try await registry.missed(token: token, after: after, limit: limit))
        }
    }

    /// The same by POST, with the parameters as numbers in the body.
    ///
    /// It may be unsigned where GET is allowed.
    private func signedMissed(_ call: RegistrationCall, _ client: [UInt8]) async throws -> JSONAnswer {
        let token = try call.body.deviceToken()
        let after = try call.body.wholeNumber("after") ?? 0
        let limit = try call.body.wholeNumber("limit") ?? UInt64(MissedRoute.maximumLimit)
        guard limit > 0 else { throw APIError.badRequest("limit must be a positive number") }
        let bounded = Int(min(limit, UInt64(MissedRoute.maximumLimit)))
        let auth = try call.body.auth()
        guard auth != nil || !isStrict else { throw APIError.unauthorized("auth is required") }
        // Before the nonce is used.
        try reads.admit(client)
        var reader: Address?
        if let auth {
            let proof = try await authorizer.proveOnce(call, call.content(token: token), auth)
            // Check the owner before reading the log, so that the answer reveals nothing about another's device.
            _ = try await registry.device(token: token.bytes, proof: proof, mayBeUnbound: !isStrict)
            reader = proof.wallet
        }
        let page = try await reads.run(client) { [reader] _ in
            try await registry.missed(token: token.bytes, after: after, limit: bounded, reader: reader)
        }
        return try answer(page)
    }

    private func answer(_ page: MissedPage?) throws -> JSONAnswer {
        guard let page else { throw APIError(status: .notFound, message: "the device_token is not registered") }
        return .object([
            ("items", .array(page.deliveries.map(item))), ("latest_seq", .integer(page.latestSeq)),
            ("oldest_seq", page.oldestSeq.map { .integer($0) } ?? .null),
        ])
    }

    private func item(_ delivery: MissedDelivery) -> JSONAnswer {
        let entry = delivery.entry
        var members: [(String, JSONAnswer)] = [
            ("seq", .integer(entry.seq)), ("type", .string(entry.kind.description)),
            ("tx_id", .string(entry.transactionID.description)), ("sender", .string(entry.sender?.description ?? "")),
            ("timestamp", .integer(entry.blockTime)),
        ]
        if let amount = delivery.amount { members.append(("amount", .integer(amount))) }
        if let address = delivery.address { members.append(("address", .string(address.description))) }
        if let group = delivery.blindedGroupID { members.append(("blinded_group_id", .string(Hex.encode(group)))) }
        if delivery.isInbox { members.append(("inbox", .boolean(true))) }
        return .object(members)
    }

    /// The parameter `after`; 0 without it, for everything that is kept.
    private func after(_ text: Substring?) throws -> UInt64 {
        guard let text else { return 0 }
        guard let digits = text.asciiDigits, let seq = UInt64(digits) else {
            throw APIError.badRequest("after must be a number from 0 to 18446744073709551615")
        }
        return seq
    }

    private func limit(_ text: Substring?) throws -> Int {
        try text?.pageLimit(atMost: MissedRoute.maximumLimit) ?? MissedRoute.maximumLimit
    }
}
