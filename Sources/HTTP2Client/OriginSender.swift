package import Logging
import Synchronization

/// The connections to one origin, for requests that need nothing but to be sent.
///
/// It sends again at once what the server certainly did not process, three times, and hands what was not sent to the
/// next connection. Every other ending is the caller's to judge. The caller bounds how many requests are inside.
package final class OriginSender: Sendable {
    /// How a request ended.
    package enum Ending: Sendable, Equatable {
        /// The answer; `isComplete` is false when its end did not come.
        case answered(HTTPAnswer, isComplete: Bool)
        case failed(TransportFailure)
        /// It was in flight when the sender stopped: whether the server has it is not known.
        case abandoned
        /// The sender stopped before it was sent.
        case stopped
    }

    /// How often a request is sent again because the server did not process it.
    static let maximumResends = 3
    /// How often a request that was not sent goes to the next connection.
    static let maximumHandBacks = 20

    private let pool: ConnectionPool
    private let longestWait: Duration
    private let isStopping = Atomic(false)

    /// Nothing is connected before the first request.
    package init(connections: Int, settings: HTTP2Settings, logger: Logger) {
        pool = ConnectionPool(connections: connections, settings: settings, logger: logger)
        longestWait = settings.connectTimeout + settings.requestTimeout
    }

    /// Sends a request and returns at once; `ended` is told once, on any thread, perhaps before this returns.
    package func send(
        _ request: HTTPRequest, with shared: SharedFields, ended: @escaping @Sendable (Ending) -> Void
    ) {
        attempt(
            request, shared, sendBy: ContinuousClock.now + longestWait, resends: 0, handBacks: 0, ended)
    }

    /// Sends a request and returns how it ended, even if the task is cancelled.
    package func send(_ request: HTTPRequest, with shared: SharedFields) async -> Ending {
        await withCheckedContinuation { continuation in
            send(request, with: shared) { continuation.resume(returning: $0) }
        }
    }

    /// Runs `body`, which sends several requests: they may leave when it ends, together.
    package func together(_ body: () -> Void) { pool.together(body) }

    private func attempt(
        _ request: HTTPRequest, _ shared: SharedFields, sendBy: ContinuousClock.Instant, resends: Int,
        handBacks: Int, _ ended: @escaping @Sendable (Ending) -> Void
    ) {
        guard !isStopping.load(ordering: .acquiring) else { return ended(.stopped) }
        pool.submit(
            Exchange(request: request, shared: shared, sendBy: sendBy) { [self] result in
                switch result.ending {
                case .answered(let answer, let isComplete): ended(.answered(answer, isComplete: isComplete))
                case .abandoned: ended(.abandoned)
                case .failed(.goAwayUnprocessed) where resends < OriginSender.maximumResends:
                    attempt(request, shared, sendBy: sendBy, resends: resends + 1, handBacks: handBacks, ended)
                case .failed(let failure): ended(.failed(failure))
                case .handedBack where isStopping.load(ordering: .acquiring): ended(.stopped)
                case .handedBack where ContinuousClock.now >= sendBy: ended(.failed(.timeout))
                case .handedBack where handBacks < OriginSender.maximumHandBacks:
                    attempt(request, shared, sendBy: sendBy, resends: resends, handBacks: handBacks + 1, ended)
                case .handedBack: ended(.failed(.reset))
                }
            })
    }

    /// What is being sent may end; later requests go on fresh connections.
    package func replaceConnections() { pool.replaceAll() }

    /// Takes nothing more, and returns when what is in flight has ended, or was given up after `timeout`.
    package func stop(drainTimeout timeout: Duration) async {
        isStopping.store(true, ordering: .releasing)
        pool.close()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [pool] in
                try? await Task.sleep(for: timeout)
                pool.abandon()
            }
            await pool.ended()
            group.cancelAll()
        }
    }
}
