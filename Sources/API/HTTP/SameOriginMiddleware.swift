import HTTPTypes
import Hummingbird

/// Refuses requests of pages of other origins, unless the call is open to them (`APIRoutes.open`): 403.
///
/// A browser lets any page send simple requests anywhere, though the page cannot read the answers. Apps send neither of
/// the two headers. Links to our pages may be followed from anywhere.
struct SameOriginMiddleware: RouterMiddleware {
    typealias Context = APIRequestContext

    @concurrent func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        // The router answers a preflight request: it changes nothing, and a closed call does not allow it.
        guard request.method != .options, let call = APIRoutes.call(at: request.uri.path),
            !APIRoutes.open.contains(call), SameOriginMiddleware.isOfAnotherOrigin(request)
        else { return try await next(request, context) }
        throw APIError(status: .forbidden, message: "pages of other origins may not make this call")
    }

    private static func isOfAnotherOrigin(_ request: Request) -> Bool {
        if let site = request.headers[.secFetchSite], site != "same-origin", site != "none" {
            let isLink =
                request.headers[.secFetchMode] == "navigate" && request.headers[.secFetchDest] == "document"
                && (request.method == .get || request.method == .head)
            if !isLink { return true }
        }
        guard let origin = request.headers[.origin] else { return false }
        return host(ofOrigin: origin) != request.head.authority.map { host($0, defaultPorts: [":80", ":443"]) }
    }

    /// Host and port of an origin; nil for `null` and for anything but a web origin.
    private static func host(ofOrigin origin: String) -> String? {
        for (scheme, port) in [("http://", ":80"), ("https://", ":443")] where origin.lowercased().hasPrefix(scheme) {
            return host(String(origin.dropFirst(scheme.count)), defaultPorts: [port])
        }
        return nil
    }

    /// The host in lower case, without a default port.
    private static func host(_ text: String, defaultPorts: [String]) -> String {
        let lower = text.lowercased()
        let port = defaultPorts.first { lower.hasSuffix($0) }
        return String(lower.dropLast(port?.count ?? 0))
    }
}
