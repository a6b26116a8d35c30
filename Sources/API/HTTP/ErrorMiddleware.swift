import HTTPTypes
import Hummingbird
import Logging
import NIOHTTP1
import Store

/// Turns every error into `{"error":"…","code":"…"}`.
///
/// A known path with another method is 405. An internal error reveals no details.
struct ErrorMiddleware: RouterMiddleware {
    typealias Context = APIRequestContext

    @concurrent func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error where error is CancellationError || error is HTTPParserError {
            // The client is gone, or the server itself answers what is not HTTP.
            throw error
        } catch let error as APIError {
            return try error.response(from: request, context: context)
        } catch let error as HTTPError where error.status == .notFound {
            return try notFound(request).response(from: request, context: context)
        } catch let error as HTTPError {
            let message = error.body ?? error.status.reasonPhrase
            return try APIError(status: error.status, message: message).response(from: request, context: context)
        } catch let error as StoreError where error.code == .unavailable {
            // The indexer logs the cause, once.
            context.logger.debug("api.request.store_unavailable", metadata: ["error.message": "\(error)"])
            return try APIError(
                status: .serviceUnavailable,
                message: "the service cannot reach its database at the moment: try again later",
                headers: [.retryAfter: "\(RegistrationAuthorizer.pauseSeconds)"]
            ).response(from: request, context: context)
        } catch {
            context.logger.error("api.request.failed", metadata: ["error.message": "\(error)"])
            return try APIError(status: .internalServerError, message: "internal error: see the server's log")
                .response(from: request, context: context)
        }
    }

    private func notFound(_ request: Request) -> APIError {
        guard let allowed = APIRoutes.call(at: request.uri.path).flatMap({ APIRoutes.methods[$0] }) else {
            return APIError(status: .notFound, message: "there is no such call: see /openapi.json")
        }
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        return APIError(
            status: .methodNotAllowed, message: "this call takes \(names)", headers: [.allow: names])
    }
}

extension APIError: HTTPResponseError {
    /// The body of the answer.
    var answer: JSONAnswer {
        let expected = expectedText.map { [("expected_text", JSONAnswer.string($0))] } ?? []
        return .object([("error", .string(message)), ("code", .string(code.rawValue))] + expected)
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        let response = JSONAnswer.response(status, answer, headers: headers)
        // A client would read a body after the answer to a HEAD as the next answer.
        return request.method == .head ? response.createHeadResponse() : response
    }
}
