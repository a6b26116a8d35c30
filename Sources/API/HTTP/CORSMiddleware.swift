import HTTPTypes
import Hummingbird

/// Cross-origin resource sharing: the pages of any site may call `APIRoutes.open` and read the answers, errors
/// included.
///
/// All other calls, and paths that do not exist, send no CORS headers. Hummingbird's own middleware would mark every
/// answer as open and let any page send JSON anywhere.
struct CORSMiddleware: RouterMiddleware {
    typealias Context = APIRequestContext

    @concurrent func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard request.headers.contains(.origin), let call = APIRoutes.call(at: request.uri.path),
            APIRoutes.open.contains(call)
        else { return try await next(request, context) }
        if request.method == .options, let preflight = preflight(request, APIRoutes.methods[call] ?? []) {
            return preflight
        }
        var response = try await next(request, context)
        response.headers[.accessControlAllowOrigin] = "*"
        response.headers[.accessControlExposeHeaders] = CORSMiddleware.exposed
        return response
    }

    /// The headers of an answer that scripts may read, besides those that are always allowed.
    private static let exposed = [HTTPField.Name.xRequestID, .retryAfter].map(\.rawName).joined(separator: ", ")

    /// The answer to a browser's preflight request; nil for a method that the call does not have.
    private func preflight(_ request: Request, _ methods: [HTTPRequest.Method]) -> Response? {
        guard let asked = request.headers[.accessControlRequestMethod],
            methods.contains(where: { $0.rawValue == asked })
        else { return nil }
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowOrigin: "*",
                .accessControlAllowMethods: methods.map(\.rawValue).joined(separator: ", "),
                .accessControlAllowHeaders: "Content-Type, Accept, Last-Event-ID", .accessControlMaxAge: "86400",
            ])
    }
}
