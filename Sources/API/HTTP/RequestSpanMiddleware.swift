import HTTPTypes
import Hummingbird
import Spans
import Tracing

/// Traces each request by method and route template, within the caller's trace if its headers name one.
///
/// Hummingbird's own middleware is not used: it records path, query and user agent, which can hold addresses and
/// tokens. The span ends when the answer's head is ready, so a stream's span does not last as long as the stream.
struct RequestSpanMiddleware: RouterMiddleware {
    typealias Context = APIRequestContext

    /// The configured address of the service, since a request's `Host` can be anything.
    let server: ServerAddress
    /// `http` or `https`.
    let scheme: String

    @concurrent func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var parent = ServiceContext.current ?? .topLevel
        InstrumentationSystem.instrument.extract(request.headers, into: &parent, using: HeaderExtractor())
        let method = request.knownMethod
        return try await traced(method ?? "HTTP", kind: .server, under: parent) { span in
            span.describe {
                $0[.httpMethod] = method ?? "_OTHER"
                $0[.urlScheme] = scheme
                $0[.requestID] = context.requestID
                $0.set(server)
            }
            defer {
                // The router sets it. Without a matching route it is the word `NotFound`.
                if span.isRecording, let route = context.endpointPath, route.hasPrefix("/") {
                    span.operationName = "\(method ?? "HTTP") \(route)"
                    span.describe { $0[.httpRoute] = route }
                }
            }
            let response = try await next(request, context)
            span.describe { $0[.httpStatus] = response.status.code }
            // A client's mistake is not a failure of the service.
            if response.status.kind == .serverError { span.failed("\(response.status.code)") }
            return response
        }
    }
}

/// Finds a header that a tracer asks for, such as `traceparent`.
private struct HeaderExtractor: Extractor {
    func extract(key name: String, from headers: HTTPFields) -> String? {
        HTTPField.Name(name).flatMap { headers[$0] }
    }
}

extension Request {
    /// The method if it is a standard one.
    ///
    /// Any other is a text of the client's.
    var knownMethod: String? {
        let method = method.rawValue
        return ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"].contains(method) ? method : nil
    }
}
