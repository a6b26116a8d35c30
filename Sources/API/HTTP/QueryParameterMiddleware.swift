import Hummingbird
import HummingbirdCore

/// Refuses query parameters that a call under `/v1/` does not know: 400.
///
/// Otherwise a mistyped name would be ignored without notice. The other lists, which installed apps use, ignore unknown
/// parameters.
struct QueryParameterMiddleware: RouterMiddleware {
    typealias Context = APIRequestContext

    @concurrent func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        if request.uri.query?.isEmpty == false, let call = APIRoutes.call(at: request.uri.path), call.hasPrefix("/v1/"),
            APIRoutes.methods[call]?.contains(request.method) == true
        {
            try check(request, knowing: APIRoutes.parameters(of: call, request.method))
        }
        return try await next(request, context)
    }

    private func check(_ request: Request, knowing known: Set<String>) throws {
        // A parameter without a name is ignored.
        let unknown = request.uri.formParameters.first { !$0.key.isEmpty && !known.contains(String($0.key)) }
        guard let unknown else { return }
        let names = known.isEmpty ? "none" : known.sorted().joined(separator: ", ")
        throw APIError.badRequest(
            "\(unknown.key.quotedForPeople) is no query parameter of this call: it knows \(names)")
    }
}
