import KasiaProtocol
import Kaspa
import TestRandom
import Testing

@testable import Store

/// A random life that two stores live side by side: each verb is asked of both, with the same inputs, and every answer
/// must be the same.
struct StoreLife {
    /// Small enough that a short life comes to all of them.
    static var limits: StoreLimits {
        var limits = StoreLimits()
        limits.logPerDevice = 6
        limits.queuedPerDevice = 4
        limits.queuedBeforeAnswer = 3
        limits.numberedBeforeAnswer = 5
        limits.queuedOnProbation = 2
        limits.longWalk = 3
        limits.deadLetters = 5
        limits.changes = 60
        limits.confirmations = 150_000
        limits.devices = 9
        return limits
    }

    static let devices = 12
    static let addresses = 5

    /// Replaced when the life goes on in copies.
    var stores: [Store]
    var random: SeededRandom
    var now: UInt64 = 5_000_000
    var nextBlock = 1
    /// Chain blocks that may still be removed, low to high.
    var chain: [Int] = []
    /// The numbers of the transactions that each block has accepted: none is accepted twice in one chain.
    var accepted: [Int: Set<Int>] = [:]
    var lastStep: ChainStep?
    /// Settlements of earlier steps: answers that come late or twice.
    var oldSettlements: [Settlement] = []
    var usedNonces: [NonceUse] = []
    var place = HistoryPlace.start
    private(set) var steps = 0

    /// Fresh stores, opened with `limits`; the first says what may be drawn.
    init(_ stores: [Store], seed random: SeededRandom = SeededRandom()) async throws {
        self.stores = stores
        self.random = random
        // Random bytes, which no other store would draw.
        let key = [UInt8](repeating: 7, count: Registry.nonceKeyBytes)
        for store in stores { try await store.write { $0.put(.meta, MetaKey.nonceKey, key) } }
        _ = try await both("nonce key") { try await $0.registry.makeNonceKey() }
    }

    /// The first of the stores, which says what there is to draw from.
    var store: Store { stores[0] }

    mutating func live(_ count: Int) async throws {
        for _ in 0..<count {
            steps += 1
            now += UInt64(below(200))
            // A week, or an hour, passes now and then.
            if oneIn(60) { now += DeviceState.probationAge - UInt64(below(3)) }
            if oneIn(30) { now += 3_600_000 - UInt64(below(3)) }
            try await step()
        }
    }

    private mutating func step() async throws {
        switch below(30) {
        case 0...4: try await changeDevice()
        case 5: try await removeDevices()
        case 6: try await noteOfDevice()
        case 7: try await useNonce()
        case 8: try await recordPending()
        case 9...13: try await applyStep()
        case 14...15: try await askForSenders()
        case 16...19: try await fanOut()
        case 20...24: try await settle()
        case 25: try await retryDeadLetters()
        case 26: try await retract()
        case 27: try await prune()
        case 28: try await forgetHistory()
        default: try await keepState()
        }
        if oneIn(8) { try await readAll() }
    }

    /// Asks every store in turn; the answers must be the same.
    func both<Answer: Equatable & Sendable>(
        _ name: String, _ verb: (Store) async throws -> Answer
    ) async throws -> Answer {
        let first = try await verb(stores[0])
        for store in stores.dropFirst() {
            let other = try await verb(store)
            try #require(first == other, "TEST_SEED=\(random.seed), step \(steps): \(name)")
        }
        return first
    }

    /// All rows of all stores are the same.
    func compareRows() throws -> StoreDump {
        let first = try StoreDump(stores[0])
        for store in stores.dropFirst() {
            let differences = first.differences(from: try StoreDump(store))
            try #require(differences.isEmpty, "TEST_SEED=\(random.seed), step \(steps): \(differences)")
        }
        #expect(first.wrongWatchers.isEmpty, "TEST_SEED=\(random.seed), step \(steps)")
        return first
    }

    // MARK: Drawing

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    /// True once in `count` times.
    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    /// Those of the operations that may happen now; of transfers 10,000 more.
    ///
    /// They move on faster than blocks accept them, so that some are always free.
    var transactionNumbers: Range<Int> { nextBlock * 4..<nextBlock * 4 + 30 }

    mutating func address() -> Address { LifeSamples.address(1 + below(StoreLife.addresses)) }

    /// Each of them once in `count` times, without repeats.
    mutating func addresses(oneIn count: Int) -> [Address] {
        (1...StoreLife.addresses).filter { _ in oneIn(count) }.map(LifeSamples.address)
    }

    private mutating func readAll() async throws {
        let now = now
        _ = try await both("totals") { try await $0.totals() }
        _ = try await both("books") { try await $0.outbox.books() }
        let problems = try await both("problems") { try $0.checkBooks().problems }
        try #require(problems.isEmpty, "TEST_SEED=\(random.seed), step \(steps)")
        _ = try await both("events") { try await $0.outbox.events(after: 0, limit: 5) }
        _ = try await both("last event") { try await $0.outbox.lastEventNumber() }
        _ = try await both("dead letters") { try await $0.outbox.deadLetters(limit: 10) }
        _ = try await both("waiting") { try await $0.outbox.waitingDeliveries(limit: 20) }
        _ = try await both("cursor") { try await $0.history.cursor() }
        let last = try await both("last change") { try await $0.history.lastChange().number }
        _ = try await both("changes") { try await $0.history.changes(after: last - min(last, 10), limit: 7) }
        _ = try await both("limits") { try await $0.history.historyLimits(now: now, retention: 1, maximumAge: 0) }
        let transactions = transactionNumbers.map(LifeSamples.transaction)
        _ = try await both("states") {
            try await $0.history.transactionStates(transactions).map { "\($0.debugDescription)" }
        }
        for number in 1...StoreLife.addresses {
            let address = LifeSamples.address(number)
            _ = try await both("activity") {
                let page = try await $0.history.activity(of: address, limit: 5)
                return ["\(page.items)", "\(page.next.debugDescription)"]
            }
            for key in [WatchKey.address(address), .primary(address), .funds(address), .inbox(address.inboxTag)] {
                _ = try await both("watchers") { try await $0.registry.watchers(key, limit: 3) }
            }
            _ = try await both("wallet") { Set(try await $0.registry.devices(ofWallet: address).map(\.token)) }
        }
        for number in 0..<StoreLife.devices {
            let id = DeviceID(token: token(number))
            _ = try await both("log") {
                try await $0.outbox.deliveryLog(of: id, after: 1, queuedSince: 0, limit: 3)
            }
            _ = try await both("state") { try await $0.outbox.deviceState(id) }
            _ = try await both("registration") { try await $0.registry.device(id) }
            _ = try await both("waits") { try await $0.outbox.deliveries(of: id, limit: 3) }
        }
        try await readDue()
    }

    private mutating func readDue() async throws {
        let carrier = CarrierName.allCases[below(CarrierName.allCases.count)]
        let lane = ScheduleKey.Lane.allCases[below(ScheduleKey.Lane.allCases.count)]
        for partition in 0..<DeviceID.partitionCount {
            let due = try await both("due") {
                try $0.outbox.entries(partition: partition, carrier: carrier, lane: lane, limit: 3)
            }
            guard !due.isEmpty else { continue }
            _ = try await both("due deliveries") {
                try await $0.outbox.dueDeliveries(due).map { result in
                    let due = try result.get()
                    return ["\(due?.delivery as Any)", "\(due?.device as Any)", "\(due?.wasTold as Any)"]
                }
            }
        }
    }
}
