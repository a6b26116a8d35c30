import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The session's delegate: passes what happens to a task on to its exchange.
///
/// Unchecked: the dictionary is only touched under the lock.
final class Exchanges: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var exchanges: [Int: Exchange] = [:]

    func add(_ exchange: Exchange, for task: URLSessionTask) {
        lock.withLock { exchanges[task.taskIdentifier] = exchange }
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        lock.withLock { exchanges[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let exchange = exchange(of: task) else { return completionHandler(nil) }
        // The redirect is the answer. On Linux `completionHandler(nil)` ends the process if the task ended meanwhile.
        exchange.receive(Exchange.Head(response), length: 0)
        exchange.end(with: .success(()))
        #if !canImport(FoundationNetworking)
        completionHandler(nil)
        #endif
        SessionThread.run { task.cancel() }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let exchange = exchange(of: dataTask), let response = response as? HTTPURLResponse else {
            return completionHandler(.cancel)
        }
        exchange.receive(Exchange.Head(response), length: response.expectedContentLength)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = lock.withLock { exchanges.removeValue(forKey: task.taskIdentifier) }
        exchange?.end(with: error.map { .failure(TransportError($0)) } ?? .success(()))
    }
}

extension Exchange.Head {
    fileprivate init(_ response: HTTPURLResponse) {
        let fields = response.allHeaderFields.compactMap { name, value in
            (name as? String).flatMap { name in (value as? String).map { (name, $0) } }
        }
        self.init(
            status: response.statusCode, headers: TransportHeaders(Dictionary(fields) { first, _ in first }))
    }
}

extension TransportError {
    /// Reads what `URLSession` reports.
    fileprivate init(_ error: any Error) {
        switch (error as? URLError)?.code {
        case .timedOut?: self = .timedOut
        case .cancelled?: self = .cancelled
        case let code?: self = .unreachable("\(error.localizedDescription) (URLError \(code.rawValue))")
        case nil: self = .unreachable(error.localizedDescription)
        }
    }
}
