import HTTPTypes
import Hummingbird
import NIOCore

/// Refuses requests for another host: 421 (RFC 9110, 15.5.20).
///
/// `/health` answers for every host, since a load balancer may use any name.
struct HostMiddleware: RouterMiddleware {
    typealias Context = APIRequestContext

    let names: HostNames
    let proxies: TrustedProxies

    @concurrent func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let remote = context.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
        guard
            names.allow(request.head.authority, isFromTrustedProxy: remote.map(proxies.isTrusted) ?? false)
                || APIRoutes.call(at: request.uri.path) == "/health"
        else {
            throw APIError(
                status: .misdirectedRequest,
                message: "the request's Host is no name of this server: its operator can add it to http.host_names")
        }
        return try await next(request, context)
    }
}
