import Clocks
import Store

/// Takes all that waits and settles it as delivered, and sends nothing: what a dispatcher asks of the store.
enum Taking {
    private static let most = 1_000

    /// Takes and settles until `count` are done; as the dispatcher does, it takes more while it settles.
    ///
    /// A new `cursor` reads past all that was deleted before, as a dispatcher that has just started.
    static func drain(_ store: Store, _ count: Int) async throws {
        var cursor = ScheduleCursor()
        try await drain(store, count, &cursor)
    }

    static func drain(_ store: Store, _ count: Int, _ cursor: inout ScheduleCursor) async throws {
        let request = DueRequest(
            steps: [.init(.ordinary), .init(.bulk)], limit: most, laneLimits: [.ordinary: most, .bulk: most])
        var taken: [Settlement] = []
        var done = 0
        while done < count {
            let now = MachineClock.system.wall()
            let batch = taken
            async let settled = settle(batch, in: store, now: now)
            if cursor.mustRead([.apns], now: now) {
                let look = await store.outbox.read(ahead: cursor, of: [.apns], now: now)
                if let failure = look.failure { throw failure }
                cursor = look.cursor
            }
            let taking = Set(taken.map(\.key))
            let keys = cursor.take(request, now: now) { !taking.contains($0) }
            let next = try zip(keys, await store.outbox.dueDeliveries(keys)).compactMap { key, due in
                try due.get().map {
                    Settlement(key: key, transactionID: $0.delivery.transactionID, next: .done, effect: .alive)
                }
            }
            let results = try await settled
            for result in results {
                guard result.found else { throw BenchmarkError("A delivery was gone.") }
                if let next = result.scheduled { cursor.added(next) }
            }
            done += results.count
            guard !next.isEmpty || !taken.isEmpty else {
                throw BenchmarkError("Only \(done) of \(count) deliveries are due.")
            }
            taken = next
        }
    }

    private static func settle(
        _ settlements: [Settlement], in store: Store, now: UInt64
    ) async throws -> [SettlementResult] {
        settlements.isEmpty ? [] : try await store.outbox.settle(settlements, now: now)
    }
}
