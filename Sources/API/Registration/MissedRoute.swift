import HTTPTypes
import Hummingbird
import HummingbirdCore
import KasiaProtocol
import Kaspa
import Push
import Store

/// `GET /v1/push/missed`: what a device was told after a number it knows (push.md, `seq`).
///
/// A token that is not registered is 404: the app has to register again, and numbers start anew. The default limit is
/// the largest, 100: an app that asks wants all it missed.
struct MissedRoute: Sendable {
    static let maximumLimit = 100

    let registry: DeviceRegistry
    let configuration: APIConfiguration

    func add(to routes: RouterGroup<APIRequestContext>) {
        routes.get("missed") { request, _ in try missed(request) }
    }

    private func missed(_ request: Request) throws -> Response {
        guard configuration.authenticationMode != .strict else { throw APIError.unauthorized("auth is required") }
        let parameters = request.uri.formParameters
        guard let text = parameters["device_token"] else { throw APIError.badRequest("device_token is missing") }
        let token = try DeviceToken.parse(String(text))
        let page = try registry.missed(
            token: token, after: try after(parameters["after"]), limit: try limit(parameters["limit"]))
        guard let page else { throw APIError(status: .notFound, message: "the device_token is not registered") }
        return JSONAnswer.response(
            .ok,
            .object([
                ("items", .array(page.entries.map(item))), ("latest_seq", .integer(page.latestSeq)),
                ("oldest_seq", page.oldestSeq.map { .integer($0) } ?? .null),
            ]))
    }

    private func item(_ entry: DeliveryLogEntry) -> JSONAnswer {
        .object([
            ("seq", .integer(entry.seq)), ("type", .string(entry.kind.description)),
            ("tx_id", .string(entry.transactionID.description)), ("sender", .string(entry.sender?.description ?? "")),
            ("timestamp", .integer(entry.blockTime)),
        ])
    }

    /// Without it, everything that is kept.
    private func after(_ text: Substring?) throws -> UInt64 {
        guard let text else { return 0 }
        guard let digits = text.asciiDigits, let seq = UInt64(digits) else {
            throw APIError.badRequest("after must be a number from 0 to 18446744073709551615")
        }
        return seq
    }

    private func limit(_ text: Substring?) throws -> Int {
        guard let text else { return MissedRoute.maximumLimit }
        guard let digits = text.asciiDigits, digits.contains(where: { $0 != "0" }) else {
            throw APIError.badRequest("limit must be a positive number")
        }
        return min(Int(digits) ?? MissedRoute.maximumLimit, MissedRoute.maximumLimit)
    }
}
