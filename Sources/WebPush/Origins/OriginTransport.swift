import HTTP2Client
import Logging

/// What sends to one origin: its connections, or a script in tests.
struct OriginTransport: Sendable {
    typealias Ended = @Sendable (OriginSender.Ending) -> Void

    /// Sends a request; `ended` is told once, on any thread, perhaps before this returns.
    let send: @Sendable (HTTPRequest, SharedFields, @escaping Ended) -> Void
    /// Takes nothing more, and returns when what is in flight has ended or the time is over.
    let stop: @Sendable (Duration) async -> Void

    /// Sends a request and waits for its end, even if the task is cancelled.
    func send(_ request: HTTPRequest, with shared: SharedFields) async -> OriginSender.Ending {
        await withCheckedContinuation { continuation in
            send(request, shared) { continuation.resume(returning: $0) }
        }
    }
}

extension OriginTransport {
    /// Connections over the network.
    init(connections: Int, settings: HTTP2Settings, logger: Logger) {
        let sender = OriginSender(connections: connections, settings: settings, logger: logger)
        self.init(
            send: { sender.send($0, with: $1, ended: $2) }, stop: { await sender.stop(drainTimeout: $0) })
    }
}
