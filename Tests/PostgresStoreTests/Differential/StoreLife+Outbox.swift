import Kaspa

@testable import Store

/// Deliveries, and what becomes of them.
extension StoreLife {
    /// A rule that decides by the device and the list, in every way there is.
    private static func rule(_ salt: Int) -> @Sendable (DeviceRecord, Int) -> WatcherDecision {
        { device, list in
            switch (Int(device.id.bytes[0]) + list + salt) % 9 {
            case 0: .skip
            case 1: .suppress(SuppressionReason.allCases[salt % SuppressionReason.allCases.count])
            case 2: .notifyWithin(HourlyLimit.allCases[salt % HourlyLimit.allCases.count])
            case 3...4: .notifyFunds(address: device.watchOnlyAddresses.first ?? LifeSamples.address(1), amount: 7)
            default: .notify
            }
        }
    }

    /// The lists of an event: a walk that is under way keeps its own.
    private static func lists(of event: UInt64) -> [WatchKey] {
        let number = Int(event)
        let all =
            (1...addresses).map(LifeSamples.address).flatMap { address in
                [WatchKey.address(address), .primary(address), .funds(address), .inbox(address.inboxTag)]
            } + (0..<2).flatMap { [WatchKey.group(LifeSamples.group($0)), .channel(LifeSamples.channel($0))] }
        return Array(all.dropFirst(number % all.count).prefix(1 + number % 4))
    }

    mutating func fanOut() async throws {
        let events = try await both("events") { try await $0.outbox.events(after: 0, limit: 50) }
        guard let event = events.randomElement(using: &random) else { return }
        let (now, limit, ordinary, expiresAt) = (now, 1 + below(6), UInt64(below(4)), oneIn(6) ? now : now + 5_000)
        guard event.kind != .paymentReverted else {
            _ = try await both("retraction") {
                try await $0.outbox.fanOutRetraction(
                    event: event.number, limit: limit, ordinaryWatchers: ordinary, now: now, expiresAt: expiresAt
                ) { $0 == .delivered || $0 == .queued ? .notify : .suppress(.neverTold) }
            }
            return
        }
        let others = events.filter { $0.number != event.number && $0.kind != .paymentReverted }
        let numbers = [event.number] + others.shuffled(using: &random).prefix(below(4)).map(\.number)
        let walks = numbers.map { number in
            FanOutWalk(
                event: number, lists: StoreLife.lists(of: number), expiresAt: expiresAt,
                decide: StoreLife.rule(Int(number)))
        }
        _ = try await both("fan-out") {
            try await $0.outbox.fanOut(walks, limit: limit, ordinaryWatchers: ordinary, now: now)
        }
    }

    /// The places in the schedule, of the first store.
    private func places() throws -> [ScheduleKey] {
        try store.database.list(.schedule, from: [], below: KeyBytes.successor(ofPrefix: []), limit: 100) {
            (row) throws(StoreError) in try ScheduleKey(row.key)
        }
    }

    mutating func settle() async throws {
        let now = now
        var settlements: [Settlement] = []
        for place in try places() where oneIn(2) {
            guard let due = try store.outbox.dueDelivery(place) else { continue }
            let next: Settlement.Next =
                oneIn(4) ? .retry(at: now + UInt64(below(900)), omitsPayload: oneIn(4)) : .done
            settlements.append(
                Settlement(
                    key: place, transactionID: due.delivery.transactionID, next: next, effect: effect(),
                    ending: [.delivered, .dead, .expired, .suppressed][below(4)], reason: oneIn(2) ? "" : "Reason",
                    wasSent: !oneIn(3)))
        }
        if oneIn(3), let old = oldSettlements.randomElement(using: &random) { settlements.append(old) }
        oldSettlements = (oldSettlements + settlements).suffix(50)
        let batch = settlements
        _ = try await both("settle") { try await $0.outbox.settle(batch, now: now) }
    }

    private mutating func effect() -> Settlement.DeviceEffect {
        switch below(12) {
        case 0: .aliveAt(oneIn(2) ? .development : .production)
        case 1...4: .alive
        case 5: .strike(limit: 3, mayRemove: !oneIn(4))
        case 6: .gone(at: now - min(now, UInt64(below(300))))
        case 7: .unaccepted
        default: .none
        }
    }

    mutating func retryDeadLetters() async throws {
        let (now, limit) = (now, below(3))
        _ = try await both("retry") { store in
            let (retried, untrue) = try await store.outbox.retryDeadLetters(
                limit: limit, now: now, expiresAt: now + 5_000)
            return [retried, untrue]
        }
    }

    mutating func retract() async throws {
        now += Outbox.retractionDelay - UInt64(below(100))
        let (now, limit) = (now, below(4))
        _ = try await both("retract") { store in
            let (seen, enqueued) = try await store.outbox.retractDue(now: now, knownUntil: now, limit: limit)
            return [seen, enqueued]
        }
    }

    mutating func prune() async throws {
        let (time, limit, keeps) = (now - UInt64(below(600_000)), 1 + below(5), oneIn(2))
        _ = try await both("prune markers") {
            try await $0.outbox.pruneEnqueuedMarkers(before: time, limit: limit, keepsUncorrected: keeps)
        }
        _ = try await both("prune log") { try await $0.outbox.pruneDeliveryLog(before: time, limit: limit) }
    }
}
