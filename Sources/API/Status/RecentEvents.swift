package import Logging
import Synchronization

/// The last warnings and errors of the log, for the status page, without anybody's data (`EventFilter`).
///
/// Lines are of a kind if level, logger and message are the same; of each kind the last line is kept, with their number.
/// Safe for use from any thread.
package final class RecentEvents: Sendable {
    /// How many kinds are kept; the one that was heard of longest ago goes first.
    package static let capacity = 50
    /// What is worth being kept.
    package static let minimumLevel = Logger.Level.warning

    /// One kind of line.
    struct Event: Sendable, Equatable {
        var level: Logger.Level
        var label: String
        var message: String
        /// Of the last line: what the filter lets through.
        var metadata: [Pair]
        /// The first line's time since the kind is in the list, milliseconds since 1970.
        var since: UInt64
        /// The last line's time.
        var time: UInt64
        var count: UInt64

        struct Pair: Sendable, Equatable {
            var key: String
            var value: String
        }
    }

    private let events = Mutex<[Event]>([])

    package init() {}

    /// Takes in a line of the log, at `time` in milliseconds since 1970; lines below `minimumLevel` are passed over.
    package func note(
        level: Logger.Level, label: String, message: String, metadata: Logger.Metadata, at time: UInt64
    ) {
        guard level >= RecentEvents.minimumLevel else { return }
        var event = Event(
            level: level, label: EventFilter.message(label), message: EventFilter.message(message),
            metadata: EventFilter.metadata(metadata).map { Event.Pair(key: $0.key, value: $0.value) }, since: time,
            time: time, count: 1)
        events.withLock { events in
            let known = events.firstIndex {
                $0.level == event.level && $0.label == event.label && $0.message == event.message
            }
            if let known {
                event.since = events[known].since
                event.count = events[known].count &+ 1
                events.remove(at: known)
            } else if events.count == RecentEvents.capacity {
                events.removeFirst()
            }
            events.append(event)
        }
    }

    /// The one heard of last first.
    var newestFirst: [Event] { events.withLock { $0.reversed() } }
}
