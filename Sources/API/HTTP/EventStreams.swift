import AsyncAlgorithms
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import ServiceLifecycle
import Synchronization

/// Answers that are streams of server-sent events, all within one limit.
///
/// A comment goes out every `heartbeat`, so that proxies and clients know that the stream lives. A client that takes
/// nothing for `patience` is cut off: nothing is held for it beyond the connection's own buffer.
struct EventStreams: Sendable {
    /// How many streams may be open, and how many are.
    final class Slots: Sendable {
        let maximum: Int
        private let taken = Mutex(0)

        init(maximum: Int) {
            self.maximum = maximum
        }

        var count: Int { taken.withLock { $0 } }

        /// nil when all are taken; what it returns gives its place back when it is gone.
        func take() -> Slot? {
            taken.withLock { taken in
                guard taken < maximum else { return nil }
                taken += 1
                return Slot(self)
            }
        }

        fileprivate func giveBack() { taken.withLock { $0 -= 1 } }
    }

    final class Slot: Sendable {
        private let slots: Slots

        fileprivate init(_ slots: Slots) {
            self.slots = slots
        }

        deinit { slots.giveBack() }
    }

    /// How long a client that found all places taken should wait, seconds.
    static let retryAfter = 10

    let slots: Slots
    var heartbeat = Duration.seconds(15)
    var patience = Duration.seconds(30)

    /// The answer whose body are `events` until they end, the client leaves, or the service stops.
    ///
    /// 503 when all places are taken. `events` is asked for one event at a time.
    func response<Events: AsyncSequence & Sendable>(
        _ events: Events, on context: APIRequestContext
    ) throws -> Response where Events.Element == ServerSentEvent, Events.AsyncIterator: SendableMetatype {
        guard let slot = slots.take() else {
            throw APIError(
                status: .serviceUnavailable, message: "all \(slots.maximum) streams are taken: try again later",
                headers: [.retryAfter: "\(EventStreams.retryAfter)"])
        }
        let (channel, heartbeat, patience) = (context.channel, heartbeat, patience)
        let body = ResponseBody { writer in
            defer { withExtendedLifetime(slot) {} }
            let beats = AsyncTimerSequence(interval: heartbeat, clock: .continuous).map { _ in Step.beat }
            let steps = merge(chain(events.map { Step.event($0) }, [Step.end].async), beats)
            for try await step in steps.cancelOnGracefulShutdown() {
                let text: String
                switch step {
                case .event(let event): text = event.text
                case .beat: text = ":\n\n"
                case .end: return try await writer.finish(nil)
                }
                let cut = channel.eventLoop.scheduleTask(in: TimeAmount(patience)) { channel.close(promise: nil) }
                defer { cut.cancel() }
                try await writer.write(ByteBuffer(string: text))
            }
            try await writer.finish(nil)
        }
        // nginx would collect the events otherwise.
        let headers: HTTPFields = [
            .contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no",
        ]
        return Response(status: .ok, headers: headers, body: body)
    }

    private enum Step: Sendable {
        case event(ServerSentEvent)
        case beat
        case end
    }
}
