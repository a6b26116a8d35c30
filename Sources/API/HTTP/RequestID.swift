import HTTPTypes
import Hummingbird
import Kaspa
import Logging

/// The id of a request, in its answer's `x-request-id` and in its log lines.
enum RequestID {
    /// The longest id.
    ///
    /// A device token has at least 64 digits, so none can get into the log as an id.
    static let maximumBytes = 40

    /// The client's or the proxy's own id if it is 1 to 40 of `A-Z a-z 0-9 . _ -`, else a new one of 32 hex digits.
    static func of(_ headers: HTTPFields) -> String {
        guard let given = headers[.xRequestID], isAcceptable(given) else { return make() }
        return given
    }

    static func make() -> String {
        withUnsafeBytes(of: UInt128.random(in: 0 ... .max)) { Hex.encode($0) }
    }

    private static func isAcceptable(_ text: String) -> Bool {
        (1...maximumBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

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
