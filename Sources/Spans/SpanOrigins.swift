import DequeModule
import Synchronization
package import Tracing

/// Remembers for a while in which span something began, so that what comes of it later can link to that.
///
/// In memory only, and bounded: what was begun before a restart, or too much ago, has no link.
package final class SpanOrigins<Key: Hashable & Sendable>: Sendable {
    /// How many are remembered by default: about 1 MB.
    package static var defaultCapacity: Int { 4_096 }

    private struct State {
        var contexts: [Key: ServiceContext] = [:]
        /// The keys in the order in which they came.
        var keys: Deque<Key> = []
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// `capacity` is at least 1.
    package init(capacity: Int = SpanOrigins.defaultCapacity) {
        precondition(capacity > 0, "room for one origin at least")
        self.capacity = capacity
    }

    /// Remembers a span's context, in place of an earlier one for the same key, and forgets the oldest if it must.
    package func remember(_ context: ServiceContext, for key: Key) {
        state.withLock { state in
            guard state.contexts.updateValue(context, forKey: key) == nil else { return }
            if state.keys.count == capacity { state.contexts[state.keys.removeFirst()] = nil }
            state.keys.append(key)
        }
    }

    /// Where it began; nil when that is not known, or not any more.
    package func origin(of key: Key) -> ServiceContext? {
        state.withLock { $0.contexts[key] }
    }
}
