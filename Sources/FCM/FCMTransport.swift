import HTTP2Client
import Logging

/// The way to one origin: connections, or a script in tests.
struct FCMTransport: Sendable {
    /// Sends a request and returns at once; the last argument is told once how it ended, on any thread.
    var send: @Sendable (HTTPRequest, SharedFields, @escaping @Sendable (OriginSender.Ending) -> Void) -> Void
    /// Takes nothing more, and returns when what is in flight has ended, or was given up after so long.
    var stop: @Sendable (Duration) async -> Void
    /// Runs what sends several requests: they may leave when it ends, together.
    var together: @Sendable (() -> Void) -> Void = { $0() }

    /// What makes the way to an origin, with so many connections of so many streams.
    typealias Factory = @Sendable (_ origin: String, _ connections: Int, _ streams: Int) -> FCMTransport

    /// Sends a request and returns how it ended, even if the task is cancelled.
    func send(_ request: HTTPRequest, with shared: SharedFields) async -> OriginSender.Ending {
        await withCheckedContinuation { continuation in
            send(request, shared) { continuation.resume(returning: $0) }
        }
    }

    /// Connections with these settings; none is opened before the first request.
    static func connections(_ configuration: FCMConfiguration, logger: Logger) -> Factory {
        { origin, connections, streams in
            let sender = OriginSender(
                connections: connections,
                settings: configuration.connectionSettings(origin: origin, streams: streams), logger: logger)
            return FCMTransport {
                sender.send($0, with: $1, ended: $2)
            } stop: {
                await sender.stop(drainTimeout: $0)
            } together: {
                sender.together($0)
            }
        }
    }
}
