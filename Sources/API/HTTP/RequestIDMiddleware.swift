import HTTPTypes
import Hummingbird
import Logging

/// Gives each request its id: the log lines of the request have it as `request.id`, the answer as `x-request-id`.
struct RequestIDMiddleware: RouterMiddleware {
    typealias Context = APIRequestContext

    @concurrent func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let id = RequestID.of(request.headers)
        var context = context
        context.requestID = id
        context.logger[metadataKey: "request.id"] = "\(id)"
        var response = try await next(request, context)
        response.headers[.xRequestID] = id
        return response
    }
}
