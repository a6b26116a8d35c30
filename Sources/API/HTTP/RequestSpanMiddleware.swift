import HTTPTypes
import Hummingbird
import Spans
import Tracing

/// Traces each request by method and route template, as a part of the caller's trace if its headers name one.
///
/// Hummingbird's own middleware writes path, query and user agent: there stand addresses, tokens, and who asks. The span
/// ends when the answer's head is ready, so that of a stream does not last as long as the stream.
struct RequestSpanMiddleware: RouterMiddleware {
    typealias Context = APIRequestContext

    /// Where the service listens, as it was configured; a request's `Host` can say anything.
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
                // Set by the router on its way; without a matching route it is a word, `NotFound`.
                if span.isRecording, let route = context.endpointPath, route.hasPrefix("/") {
                    span.operationName = "\(method ?? "HTTP") \(route)"
                    span.describe { $0[.httpRoute] = route }
                }
            }
            let response = try await next(request, context)
            span.describe { $0[.httpStatus] = response.status.code }
            // What a client did wrong is no failure of ours.
            if response.status.kind == .serverError { span.failed("\(response.status.code)") }
            return response
        }
    }
}

/// Finds what a tracer asks for, such as `traceparent`.
private struct HeaderExtractor: Extractor {
    func extract(key name: String, from headers: HTTPFields) -> String? {
        HTTPField.Name(name).flatMap { headers[$0] }
    }
}

extension Request {
    /// The method if it is one of the usual; others are the client's text.
    var knownMethod: String? {
        let method = method.rawValue
        return ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"].contains(method) ? method : nil
    }
}
