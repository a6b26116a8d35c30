import KasiaProtocol
import Kaspa
import SampleOperations
import StoreSupport
import TestRandom
import Testing

@testable import PostgresStore
@testable import Store

/// Registrations, payments and deliveries of a store whose server comes and goes, and what was acknowledged of them.
struct CrashLife {
    private static let addresses = 5
    private static let mostDevices = 40

    private struct Place: Hashable {
        var device: DeviceID
        var seq: UInt64
    }

    private let store: Store
    private var random: SeededRandom
    private var registered: [DeviceID] = []
    private var block = 0
    private var enqueued = 0
    private var settled: Set<Place> = []
    private var now: UInt64 = 1_000_000

    init(_ store: Store, _ random: SeededRandom) { (self.store, self.random) = (store, random) }

    mutating func live() async throws {
        now += 1
        switch Int.random(in: 0..<10, using: &random) {
        case 0...1 where registered.count < CrashLife.mostDevices: try await register()
        case 2...4: try await accept()
        case 5...6: try await fanOut()
        case 7: try await settle()
        default: try await noteAccepted()
        }
    }

    private mutating func register() async throws {
        let number = registered.count + 1
        let device = Samples.device(
            number, createdAt: now, watching: [address(number % CrashLife.addresses)], aliases: ["a"])
        let (store, id) = (store, device.id)
        try await StoreBench.patiently { try await store.registry.upsertDevice(id) { _ in device } }
        // As the service does before it answers; without, it is made again all the same.
        if Bool.random(using: &random) { try await store.sync() }
        registered.append(id)
        try await store.outbox.noteAccepted(id)
    }

    /// A change that does not wait for the disk.
    mutating func noteAccepted() async throws {
        guard let id = registered.randomElement(using: &random) else { return }
        try await store.outbox.noteAccepted(id)
    }

    private func address(_ number: Int) -> Address { Samples.address(UInt8(1 + number)) }

    private mutating func accept() async throws {
        block += 1
        let acceptance = LifeSamples.acceptance(block)
        let receiver = address(Int.random(in: 0..<CrashLife.addresses, using: &random))
        let operation = OperationRecord(
            transactionID: LifeSamples.transaction(block), kind: .payment, sender: Samples.carol, receiver: receiver,
            amount: 1_000, blockHash: LifeSamples.block(block), blockTime: LifeSamples.blockTime,
            acceptance: acceptance, payload: Samples.payment())
        let step = ChainStep(
            removed: [], accepted: [AcceptedOperation(operation: operation, notifies: true)],
            cursor: LifeSamples.cursor(block))
        let result = try await store.history.apply(step, now: now, withdrawsUnsent: false, retractsPayments: true)
        #expect(result.accepted == 1, "TEST_SEED=\(random.seed), block \(block)")
        enqueued += result.enqueued.values.reduce(0, +)
    }

    private mutating func fanOut() async throws {
        let store = store
        let events = try await StoreBench.patiently { try await store.outbox.events(after: 0, limit: 5) }
        for event in events {
            let address = address(Int(event.number) % CrashLife.addresses)
            _ = try await store.outbox.fanOut(
                event: event.number, lists: [.address(address)], limit: 100, ordinaryWatchers: 100, now: now,
                expiresAt: now + 1_000_000
            ) { _, _ in .notify }
        }
    }

    private mutating func settle() async throws {
        let store = store
        let due = try await StoreBench.patiently { () async throws -> [(ScheduleKey, DueDelivery)] in
            let places = try store.database.list(
                .schedule, from: [], below: KeyBytes.successor(ofPrefix: []), limit: 20
            ) { (row) throws(StoreError) in try ScheduleKey(row.key) }
            return try places.compactMap { place in try store.outbox.dueDelivery(place).map { (place, $0) } }
        }
        let settlements = due.map { place, due in
            Settlement(
                key: place, transactionID: due.delivery.transactionID, next: .done, effect: .alive, ending: .delivered,
                reason: "", wasSent: true)
        }
        let results = try await store.outbox.settle(settlements, now: now)
        for ((place, _), result) in zip(due, results) where result.found {
            let isNew = settled.insert(Place(device: place.device, seq: place.seq)).inserted
            #expect(isNew, "TEST_SEED=\(random.seed): settled twice")
        }
    }

    /// Whether all that was acknowledged is there, once.
    func compare(with store: Store) async throws {
        let seed: Comment = "TEST_SEED=\(random.seed)"
        #expect(registered.count > 5 && enqueued > 5 && settled.count > 5, seed)
        let check = try store.checkBooks()
        #expect(check.problems.isEmpty, seed)
        let books = try await store.outbox.books()
        #expect(books.balance && books.eventsCreated == UInt64(enqueued), seed)
        #expect(books.deliveriesDelivered == UInt64(settled.count), seed)
        #expect(try await store.totals().devices == UInt64(registered.count), seed)
        for id in registered { #expect(try await store.registry.isRegistered(id), seed) }
        #expect(try await store.history.cursor() == LifeSamples.cursor(block), seed)
        for place in settled {
            let row = try store.database.get(.deliveryLog, Delivery.key(place.device, place.seq))
            #expect(row != nil && row.map(DeliveryLogEntry.isQueued) == false, seed)
        }
    }
}
