import HTTPTypes
import Hummingbird

/// Cross-origin resource sharing, open for GET and nothing else (http-api.md).
///
/// Hummingbird's own middleware marks every answer as open and allows JSON bodies; browsers then let any page send
/// POST, whatever methods are listed.
struct OpenReadingMiddleware: RouterMiddleware {
    typealias Context = APIRequestContext

    @concurrent func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard request.headers.contains(.origin) else { return try await next(request, context) }
        switch request.method {
        case .get, .head:
            var response = try await next(request, context)
            response.headers[.accessControlAllowOrigin] = "*"
            return response
        case .options where ["GET", "HEAD"].contains(request.headers[.accessControlRequestMethod]):
            return Response(
                status: .noContent,
                headers: [
                    .accessControlAllowOrigin: "*", .accessControlAllowMethods: "GET, HEAD",
                    .accessControlAllowHeaders: "Content-Type", .accessControlMaxAge: "86400",
                ])
        default: return try await next(request, context)
        }
    }
}
