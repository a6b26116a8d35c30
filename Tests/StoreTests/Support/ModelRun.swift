import KasiaProtocol
import Kaspa
import StoreSupport
import Testing

@testable import Store

/// One random life: draws an operation, does it to the store and to the model, and compares the answers.
struct ModelRun {
    private(set) var model = StoreModel()
    private let store: Store
    private let seed: UInt64
    private var random: SeededRandom
    private let withdrawsUnsent: Bool
    private let retractsPayments: Bool
    private var now: UInt64 = 1_000
    private var nextBlock = 1
    /// Chain blocks that may still be removed, and the last step, which a restart repeats.
    private var chain: [Int] = []
    private var lastStep: ChainStep?
    /// Settlements of earlier steps: answers that come late or twice.
    private var oldSettlements: [Settlement] = []

    private static let lists: [WatchKey] = [.primary(Sample.address(1)), .address(Sample.address(1))]

    init(store: Store, seed: UInt64, logPerDevice: UInt64 = 2) {
        model.logPerDevice = logPerDevice
        self.store = store
        self.seed = seed
        random = SeededRandom(seed: seed)
        withdrawsUnsent = random.oneIn(2)
        retractsPayments = random.oneIn(2)
    }

    /// Returns the operation's name.
    mutating func step() async throws -> String {
        now += UInt64(random.below(50))
        // A week passes now and then.
        if random.oneIn(40) { now += DeviceState.probationAge - UInt64(random.below(3)) }
        switch random.below(22) {
        case 0...3: return try await upsert()
        case 4: return try await remove()
        case 5: return try await pending()
        case 6...9: return try await apply()
        case 10...13: return try await fanOut()
        case 14...17: return try await settle()
        case 18: return try await retry()
        case 19: return try await retract()
        case 20: return try await forget()
        default: return try await prune()
        }
    }

    private func compare<Value: Equatable>(_ real: Value, _ expected: Value, _ name: String) {
        #expect(real == expected, "TEST_SEED=\(seed): \(name)")
    }

    // MARK: Devices

    private mutating func upsert() async throws -> String {
        let number = random.below(6)
        var record = Sample.device(
            number, watching: (1...3).filter { _ in random.oneIn(2) }.map { Sample.address($0) },
            primary: random.oneIn(3) ? Sample.address(1 + random.below(2)) : nil,
            groups: random.oneIn(4) ? [[UInt8](repeating: 7, count: 32)] : [], at: now)
        record.watchOnlyAddresses = (1...3).filter { _ in random.oneIn(3) }.map { Sample.address($0) }
        record.aliases = [[UInt8(random.below(4))]]
        let new = record
        try await store.registry.upsertDevice(new.id) { _ in new }
        model.upsert(new)
        return "upsert \(number)"
    }

    private mutating func remove() async throws -> String {
        let number = random.below(6)
        compare(try await store.registry.removeDevice(Sample.id(number)), model.remove(Sample.id(number)), "remove")
        return "remove \(number)"
    }

    // MARK: Chain

    private mutating func operation(acceptedIn block: Int?) -> OperationRecord {
        Sample.operation(
            random.below(12), kind: random.oneIn(3) ? .payment : .contextualMessage,
            sender: random.oneIn(4) ? nil : Sample.address(1 + random.below(2)), acceptedIn: block)
    }

    /// Who takes part follows from the number; the block time does not.
    private mutating func transfer(acceptedIn block: Int) -> AcceptedTransfer {
        let number = random.below(16)
        let credited = (1...4).filter { number >> ($0 - 1) & 1 == 1 }.map { Sample.address($0) }
        let spenders = (1...4).filter { number * 5 >> ($0 - 1) & 1 == 1 }.map { Sample.address($0) }
        return AcceptedTransfer(
            TransferRecord(
                transactionID: Sample.transaction(1_000 + number), blockTime: UInt64(10_000 + random.below(2)),
                acceptance: Sample.acceptance(block), acceptedAt: UInt64(20_000 + block),
                funds: Funds(credits: credited.map { .init(address: $0, amount: 7) }, spenders: spenders),
                listed: credited + spenders.filter { !credited.contains($0) },
                toSpenders: UInt64(7 * credited.filter(spenders.contains).count),
                toOthers: UInt64(7 * credited.filter { !spenders.contains($0) }.count)),
            push: random.oneIn(4) ? (random.oneIn(2) ? .off : .tooOld) : .due)
    }

    private mutating func pending() async throws -> String {
        var list: [OperationRecord] = []
        for _ in 0...random.below(3) { list.append(operation(acceptedIn: nil)) }
        compare(try await store.history.recordPending(list), model.recordPending(list), "pending")
        return "pending"
    }

    private mutating func apply() async throws -> String {
        if random.oneIn(5), let lastStep { return try await apply(lastStep, "repeat") }
        var removed: [Int] = []
        while random.oneIn(3), let last = chain.popLast() { removed.append(last) }
        var accepted: [AcceptedOperation] = []
        var transfers: [AcceptedTransfer] = []
        for _ in 0..<random.below(3) {
            chain.append(nextBlock)
            for _ in 0..<random.below(3) { transfers.append(transfer(acceptedIn: nextBlock)) }
            for _ in 0..<random.below(4) {
                var entry = AcceptedOperation(operation: operation(acceptedIn: nextBlock), notifies: !random.oneIn(5))
                if random.oneIn(6) {
                    entry.group = .init(
                        blindedGroupID: [UInt8](repeating: UInt8(random.below(2)), count: 32),
                        senderPublicKey: [UInt8](repeating: UInt8(random.below(2)), count: 32))
                }
                accepted.append(entry)
            }
            nextBlock += 1
        }
        return try await apply(
            ChainStep(
                removed: removed.map { Sample.block($0) }, accepted: accepted, transfers: transfers,
                cursor: Sample.cursor(nextBlock)),
            "apply")
    }

    private mutating func apply(_ step: ChainStep, _ name: String) async throws -> String {
        lastStep = step
        let result = try await store.history.apply(
            step, now: now, withdrawsUnsent: withdrawsUnsent, retractsPayments: retractsPayments)
        let expected = model.apply(
            step, now: now, withdrawsUnsent: withdrawsUnsent, retractsPayments: retractsPayments)
        compare(result, expected, name)
        return name
    }

    /// Time passes first, so that something is due.
    private mutating func retract() async throws -> String {
        now += Outbox.retractionDelay - UInt64(random.below(100))
        let limit = random.below(3)
        let (seen, enqueued) = try await store.outbox.retractDue(now: now, knownUntil: now, limit: limit)
        compare([seen, enqueued], model.retractDue(now: now, limit: limit), "retract")
        return "retract"
    }

    private mutating func prune() async throws -> String {
        let time = now - min(now, UInt64(random.below(600)))
        let limit = random.below(4)
        let keepsUncorrected = random.oneIn(2)
        compare(
            try await store.outbox.pruneEnqueuedMarkers(before: time, limit: limit, keepsUncorrected: keepsUncorrected),
            model.prune(before: time, limit: limit, keepsUncorrected: keepsUncorrected), "prune")
        compare(
            try await store.outbox.pruneDeliveryLog(before: time, limit: limit),
            model.pruneLog(before: time, limit: limit),
            "prune log")
        return "prune"
    }

    private mutating func forget() async throws -> String {
        var limits = HistoryLimits()
        if random.oneIn(2) { limits.bodiesBefore = UInt64(9_998 + random.below(16)) }
        if random.oneIn(2) { limits.neverAcceptedBefore = UInt64(9_998 + random.below(16)) }
        if random.oneIn(2) { limits.acceptancesBelow = UInt64(499 + random.below(nextBlock + 2)) }
        limits.queuedBefore = random.oneIn(2) ? now + 1 : now - min(now, UInt64(random.below(600)))
        let rows = 1 + random.below(5)
        var place: HistoryPlace? = .start
        var sum = HistoryStep()
        while let next = place {
            let step = try await store.history.forgetHistory(limits, at: next, rows: rows)
            sum.add(step)
            place = step.next
        }
        compare(
            [sum.acceptances, sum.operations, sum.neverAccepted, sum.transfers], model.forget(limits), "forget")
        return "forget"
    }

    // MARK: Deliveries

    private static func decide(_ device: DeviceRecord, _ list: Int) -> WatcherDecision {
        if list == 1, device.primaryAddress != nil { return .skip }
        return device.aliases == [[0]] ? .suppress(.otherAlias) : .notify
    }

    private mutating func fanOut() async throws -> String {
        let number = model.events.keys.sorted().randomElement(using: &random) ?? model.lastEvent
        let limit = 1 + random.below(4)
        let ordinary = UInt64(random.below(4))
        let expiresAt = random.oneIn(4) ? now : now + 500
        if model.events[number]?.kind == .paymentReverted {
            let step = try await store.outbox.fanOutRetraction(
                event: number, limit: limit, ordinaryWatchers: ordinary, now: now, expiresAt: expiresAt,
                decide: Sample.correction)
            let expected = model.fanOutRetraction(
                event: number, limit: limit, ordinaryWatchers: ordinary, now: now, expiresAt: expiresAt)
            compare(step, expected, "fan-out of a retraction")
            return "retraction \(number)"
        }
        let others = model.events.filter { $0.key != number && $0.value.kind != .paymentReverted }.keys.sorted()
        let numbers = [number] + others.shuffled(using: &random).prefix(random.below(3))
        let walks = numbers.map {
            FanOutWalk(event: $0, lists: ModelRun.lists, expiresAt: expiresAt, decide: ModelRun.decide)
        }
        let steps = try await store.outbox.fanOut(walks, limit: limit, ordinaryWatchers: ordinary, now: now)
        compare(steps.isEmpty, false, "a batch of fan-outs has a step")
        for (number, step) in zip(numbers, steps) {
            let expected = model.fanOut(
                event: number, lists: ModelRun.lists, limit: limit, ordinaryWatchers: ordinary, now: now,
                expiresAt: expiresAt, decide: ModelRun.decide)
            compare(step, expected, "fan-out")
        }
        return "fan-out \(numbers.prefix(steps.count))"
    }

    private mutating func settle() async throws -> String {
        var settlements: [Settlement] = []
        for id in model.states.keys.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) where random.oneIn(2) {
            guard let place = model.states[id]?.scheduled, let delivery = model.deliveries[id]?[place.seq] else {
                continue
            }
            settlements.append(
                Settlement(
                    key: place.key(of: id), transactionID: delivery.transactionID, next: next(), effect: effect(),
                    ending: ending(), reason: random.oneIn(2) ? "" : "Reason", wasSent: random.oneIn(2)))
        }
        if random.oneIn(3), let old = oldSettlements.randomElement(using: &random) { settlements.append(old) }
        oldSettlements += settlements
        let results = try await store.outbox.settle(settlements, now: now)
        compare(results, settlements.map { model.settle($0, now: now) }, "settle")
        return "settle \(settlements.count)"
    }

    private mutating func retry() async throws -> String {
        let limit = random.below(3)
        let (retried, untrue) = try await store.outbox.retryDeadLetters(limit: limit, now: now, expiresAt: now + 500)
        compare([retried, untrue], model.retry(limit: limit, now: now, expiresAt: now + 500), "retry")
        return "retry"
    }

    private mutating func next() -> Settlement.Next {
        random.oneIn(3) ? .retry(at: now + UInt64(random.below(100)), omitsPayload: random.oneIn(4)) : .done
    }

    private mutating func ending() -> DeliveryLogEntry.State {
        [.delivered, .dead, .expired, .suppressed][random.below(4)]
    }

    private mutating func effect() -> Settlement.DeviceEffect {
        switch random.below(10) {
        case 8...9: .unaccepted
        case 0: .aliveAt(random.oneIn(2) ? .development : .production)
        case 1...2: .alive
        case 3...4: .strike(limit: 3, mayRemove: !random.oneIn(4))
        case 5: .gone(at: now - min(now, UInt64(random.below(300))))
        default: .none
        }
    }
}
