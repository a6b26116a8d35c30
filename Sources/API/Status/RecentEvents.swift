package import Logging
import Synchronization

/// The last warnings and errors of the log, for the status page, without personal data (`EventFilter`).
///
/// Lines with the same level, logger and message are one kind. Of each kind the last line and the number of lines are
/// kept. Safe for use from any thread.
package final class RecentEvents: Sendable {
    /// The most kinds.
    ///
    /// The one whose last line is oldest is dropped first.
    package static let capacity = 50
    /// The lowest level that is kept.
    package static let minimumLevel = Logger.Level.warning

    /// One kind of line.
    struct Event: Sendable, Equatable {
        var level: Logger.Level
        var label: String
        var message: String
        /// The last line's metadata, filtered.
        var metadata: [Pair]
        /// The time of the kind's first line, milliseconds since 1970.
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

    /// Records a log line at `time`, milliseconds since 1970.
    ///
    /// Ignores lines below `minimumLevel`.
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

    /// The kinds, the one with the newest line first.
    var newestFirst: [Event] { events.withLock { $0.reversed() } }
}
