import AsyncAlgorithms
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import ServiceLifecycle
import Synchronization

/// Answers with streams of server-sent events, within a common limit.
///
/// A comment is sent every `heartbeat`, so that proxies and clients keep the stream open. The connection of a client
/// that reads nothing for `writeTimeout` is closed. Only the connection's own buffer holds data for it.
struct EventStreams: Sendable {
    /// Limits the open streams, in all and for one client address.
    final class Slots: Sendable {
        /// Streams that one client address may have however small `maximum` is.
        static let leastPerClient = 16

        let maximum: Int
        let perClient: Int
        /// The open streams, in all and by client.
        ///
        /// Those without an address count only in all.
        private let taken = Mutex<(count: Int, byClient: [[UInt8]: Int])>((0, [:]))

        /// By default one client address may have a quarter of `maximum`, or `leastPerClient`.
        init(maximum: Int, perClient: Int? = nil) {
            self.maximum = maximum
            self.perClient = perClient ?? max(Slots.leastPerClient, maximum / 4)
        }

        var count: Int { taken.withLock { $0.count } }

        /// Takes a slot, which is free again when the returned object is released.
        ///
        /// Errors: 503 when all slots are taken, or all of the client's.
        func take(for client: [UInt8]?) throws -> Slot {
            try taken.withLock { taken in
                guard taken.count < maximum else {
                    throw EventStreams.refusal("all \(maximum) streams are taken")
                }
                let own = client.flatMap { taken.byClient[$0] } ?? 0
                guard own < perClient else {
                    throw EventStreams.refusal("this address has \(own) streams, as many as it may")
                }
                taken.count += 1
                if let client { taken.byClient[client] = own + 1 }
                return Slot(self, client)
            }
        }

        fileprivate func giveBack(_ client: [UInt8]?) {
            taken.withLock { taken in
                taken.count -= 1
                guard let client, let own = taken.byClient[client] else { return }
                taken.byClient[client] = own > 1 ? own - 1 : nil
            }
        }
    }

    final class Slot: Sendable {
        private let slots: Slots
        private let client: [UInt8]?

        fileprivate init(_ slots: Slots, _ client: [UInt8]?) {
            self.slots = slots
            self.client = client
        }

        deinit { slots.giveBack(client) }
    }

    /// `Retry-After` when all slots are taken, seconds.
    static let retryAfter = 10

    let slots: Slots
    let proxies: TrustedProxies
    var heartbeat = Duration.seconds(15)
    var writeTimeout = Duration.seconds(30)

    /// An answer that streams `events` until they end, the client leaves, or the service stops.
    ///
    /// Each element of `events` is one write. Errors: 503 when all slots are taken, or all of the client's.
    func response<Events: AsyncSequence & Sendable>(
        _ events: Events, to request: Request, on context: APIRequestContext
    ) throws -> Response where Events.Element == [ServerSentEvent], Events.AsyncIterator: SendableMetatype {
        let slot = try slots.take(for: proxies.client(of: request, context)?.limitKey)
        let (channel, heartbeat, writeTimeout) = (context.channel, heartbeat, writeTimeout)
        let body = ResponseBody { writer in
            defer { withExtendedLifetime(slot) {} }
            let beats = AsyncTimerSequence(interval: heartbeat, clock: .continuous).map { _ in Step.beat }
            let steps = merge(chain(events.map { Step.events($0) }, [Step.end].async), beats)
            for try await step in steps.cancelOnGracefulShutdown() {
                let text: String
                switch step {
                case .events(let events): text = events.map(\.text).joined()
                case .beat: text = ":\n\n"
                case .end: return try await writer.finish(nil)
                }
                let cut = channel.eventLoop.scheduleTask(in: TimeAmount(writeTimeout)) { channel.close(promise: nil) }
                defer { cut.cancel() }
                try await writer.write(ByteBuffer(string: text))
            }
            try await writer.finish(nil)
        }
        // `accelBuffering` keeps nginx from buffering the events.
        let headers: HTTPFields = [
            .contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no",
        ]
        return Response(status: .ok, headers: headers, body: body)
    }

    private static func refusal(_ reason: String) -> APIError {
        APIError(
            status: .serviceUnavailable, message: "\(reason): try again later",
            headers: [.retryAfter: "\(EventStreams.retryAfter)"])
    }

    private enum Step: Sendable {
        case events([ServerSentEvent])
        case beat
        case end
    }
}
