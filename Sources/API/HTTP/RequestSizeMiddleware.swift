import HTTPTypes
import Hummingbird

/// Refuses request lines and headers that are too large: 414 and 431.
struct RequestSizeMiddleware: RouterMiddleware {
    typealias Context = APIRequestContext

    @concurrent func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard (request.head.path ?? "").utf8.count <= APILimits.targetBytes else {
            throw APIError(
                status: .uriTooLong, message: "the request's target is longer than \(APILimits.targetBytes) bytes")
        }
        let bytes = request.headers.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
        guard bytes <= APILimits.headerBytes else {
            throw APIError(
                status: .requestHeaderFieldsTooLarge,
                message: "the headers are longer than \(APILimits.headerBytes) bytes together")
        }
        return try await next(request, context)
    }
}
