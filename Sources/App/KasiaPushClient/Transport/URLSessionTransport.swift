import Dispatch
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Carries requests by `URLSession`, on Apple's systems and on Linux.
///
/// It keeps no cookies, credentials or cached answers, and follows no redirect: a redirect's status is the answer.
public final class URLSessionTransport: Transport {
    private let session: URLSession
    private let exchanges: Exchanges

    /// Makes a session of its own, which ends with the transport and what is in flight then.
    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // Over HTTP/1.1 each open stream takes a connection of its own.
        configuration.httpMaximumConnectionsPerHost = 8
        exchanges = Exchanges()
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit {
        SessionThread.run { [session] in session.finishTasksAndInvalidate() }
    }

    /// Sends a request and reads the whole answer.
    public func answer(to request: TransportRequest) async throws(TransportError) -> TransportAnswer {
        let exchange = start(request, isStream: false)
        let (head, body) = try await exchange.answer()
        return TransportAnswer(status: head.status, headers: head.headers, body: body)
    }

    /// Sends a request and returns with the answer's head.
    public func stream(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
        let reader = ExchangeReader(start(request, isStream: true))
        let head = try await reader.exchange.head()
        return TransportStream(status: head.status, headers: head.headers) { () async throws(TransportError) -> Data? in
            try await reader.exchange.piece()
        }
    }

    private func start(_ request: TransportRequest, isStream: Bool) -> Exchange {
        var message = URLRequest(url: request.url)
        message.httpMethod = request.method
        message.httpBody = request.body
        message.httpShouldHandleCookies = false
        for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
        // The exchange's own limits come first; this one holds where the system suspends them.
        message.timeoutInterval = max(request.timeout, request.silence).seconds + 5
        let exchange = Exchange(
            limit: request.maximumBytes, timeout: request.timeout, silence: isStream ? request.silence : nil)
        SessionThread.run { [session, exchanges, message] in
            let task = session.dataTask(with: message)
            guard exchange.begin(cancel: { SessionThread.run { task.cancel() } }) else { return task.cancel() }
            exchanges.add(exchange, for: task)
            task.resume()
        }
        exchange.watch(for: request.timeout)
        return exchange
    }
}

/// Ends the request of a stream that nobody reads any more.
private final class ExchangeReader: Sendable {
    let exchange: Exchange

    init(_ exchange: Exchange) {
        self.exchange = exchange
    }

    deinit {
        exchange.giveUp(.cancelled)
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
