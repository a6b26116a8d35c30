import DequeModule
import Synchronization
package import Tracing

/// Remembers for a while in which span something began, so that later spans can link to it.
///
/// It is bounded and in memory only, so there are no links to spans before a restart, or to spans of too long ago.
package final class SpanOrigins<Key: Hashable & Sendable>: Sendable {
    /// The default capacity, about 1 MB.
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

    /// Remembers a span's context for a key, in place of an earlier one.
    ///
    /// If full, it forgets the oldest.
    package func remember(_ context: ServiceContext, for key: Key) {
        state.withLock { state in
            guard state.contexts.updateValue(context, forKey: key) == nil else { return }
            if state.keys.count == capacity { state.contexts[state.keys.removeFirst()] = nil }
            state.keys.append(key)
        }
    }

    /// The context in which it began; nil if unknown or forgotten.
    package func origin(of key: Key) -> ServiceContext? {
        state.withLock { $0.contexts[key] }
    }
}
