import Clocks
import Store

/// Takes all that waits and settles it as delivered, and sends nothing: what a dispatcher asks of the store.
enum Taking {
    private static let batch = 1_000

    /// Takes and settles until `count` are done.
    static func drain(_ store: Store, _ count: Int) async throws {
        let request = DueRequest(
            steps: [.init(.ordinary), .init(.bulk)], limit: batch, laneLimits: [.ordinary: batch, .bulk: batch])
        var cursor = ScheduleCursor()
        var done = 0
        while done < count {
            let now = MachineClock.system.wall()
            let taken = await store.outbox.take(request, from: cursor, now: now)
            if let failure = taken.failure { throw failure }
            cursor = taken.cursor
            guard !taken.keys.isEmpty else { throw BenchmarkError("Only \(done) of \(count) deliveries are due.") }
            let rows = try await store.outbox.dueDeliveries(taken.keys)
            let settlements = try zip(taken.keys, rows).compactMap { key, due in
                try due.get().map {
                    Settlement(key: key, transactionID: $0.delivery.transactionID, next: .done, effect: .alive)
                }
            }
            for result in try await store.outbox.settle(settlements, now: now) {
                guard result.found else { throw BenchmarkError("A delivery was gone.") }
                if let next = result.scheduled { cursor.added(next) }
            }
            done += settlements.count
        }
    }
}
