import HTTPTypes
import Hummingbird

/// Cross-origin resource sharing: open for what is read about the chain, closed for all else (`APIRoutes.open`).
///
/// The pages of any site may read the open paths, errors there included. Registrations and operators' calls say nothing
/// to another origin, and neither does a path that does not exist. Hummingbird's own middleware marks every answer as
/// open and lets any page send JSON anywhere.
struct OpenReadingMiddleware: RouterMiddleware {
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
        response.headers[.accessControlExposeHeaders] = OpenReadingMiddleware.exposed
        return response
    }

    /// What scripts may read of an answer's headers, besides those that they always may.
    private static let exposed = [HTTPField.Name.xRequestID, .retryAfter].map(\.rawName).joined(separator: ", ")

    /// The answer to a browser that asks before it sends; nil for a method that the call does not have.
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
