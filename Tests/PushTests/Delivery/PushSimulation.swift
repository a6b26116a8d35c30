import APNs
import Clocks
import HTTP2Client
import Kaspa
import SampleOperations
import Store
import StoreSupport

@testable import Push

/// Lives of a service with unlucky days: devices, messages, every kind of answer, a disk that fails, a wall clock that
/// jumps, stops and starts, all from a seed.
///
/// What happens follows from the seed, the notification's name and attempt, and the count of steps; how tasks
/// interleave does not.
final class PushSimulation {
    /// What must never happen.
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    /// What the seed brought, so that a test can see that its faults do happen.
    struct Summary {
        var troubles = SimulatedDisk.Troubles()
        var stops = 0
        var jumps = 0
        var repeats = 0
    }

    private typealias News = (sender: Int, numbers: Range<UInt64>)

    /// As far as wall clocks are set wrong, milliseconds: from seconds to years.
    private static let jumps: [UInt64] = [5_000, 600_000, 7_200_000, 90_000_000, 700_000_000, 320_000_000_000]
    /// How far a sleep goes beyond what was asked at least, milliseconds: two hours take 3,600 sleeps at most.
    private static let shortestNap: UInt64 = 2_000
    private static let extras = 1_000
    /// The lives of one seed take seconds; what takes longer than this is said to stand still, with its seed.
    private static let patience = Duration.seconds(300)

    private let seed: UInt64
    private var random: SeededRandom
    private let directory: TemporaryDirectory
    private let clock: TestClock
    private let sender = ScriptedSender()
    private let configuration: PushConfiguration
    private let capacity: Int
    private let disk = SimulatedDisk()
    /// Open between lives, unless a restart comes between them.
    private var bench: PushBench?
    private let devices: Int
    private let senders = [Samples.alice, Samples.bob, Samples.carol]
    private let start: UInt64
    private var watching: [Int: Set<Int>] = [:]
    /// Devices whose token Apple had not accepted when they registered.
    private var inventions: Set<Int> = []
    private var limits: StoreLimits
    /// Who wrote each message.
    private var messages: [UInt64: Int] = [:]
    /// What the chain has accepted and the store would not take yet.
    private var pending: [News] = []
    /// How much a device had been sent when its unregister was answered.
    private var unregistered: [Int: Int] = [:]
    /// Devices that watch what nobody writes, whose registration was answered.
    private var answered: [Int] = []
    /// What was answered for good, and is written.
    private var closed: Set<String> = []
    private var summary = Summary()
    private let begun = ContinuousClock.now

    init(seed: UInt64) throws {
        self.seed = seed
        var random = SeededRandom(seed: seed)
        devices = Int.random(in: 1...8, using: &random)
        limits = SimulatedDisk.limits
        // Mostly there is room for all, in some lives for few.
        if random.hit(2) { limits.queuedPerDevice = UInt32.random(in: 2...6, using: &random) }
        limits.longWalk = UInt64.random(in: 1...4, using: &random)
        let naps = random.next()
        clock = TestClock { PushSimulation.shortestNap + naps % 30_000 }
        start = clock.now
        directory = try TemporaryDirectory()
        configuration = PushConfiguration(
            network: .mainnet, expiration: .seconds(86_400 * 365), invalidTokenStrikes: Int(1 + random.next() % 3))
        capacity = Int.random(in: 1...6, using: &random)
        self.random = random
    }

    /// Runs to the end and checks after each step; throws the first violation.
    func run() async throws -> Summary {
        let (isFaulty, seed) = (Tally(), seed)
        isFaulty.set(1)
        sender.use { request, attempt in
            PushSimulation.answer(request, attempt, seed: seed, isFaulty: isFaulty.count == 1)
        }
        try await withBench { bench in
            for device in 0..<devices { try await register(device, in: bench) }
        }
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            disk.plan(&random)
            try await live()
            summary.troubles = summary.troubles + disk.troubles
            disk.heal()
        }
        isFaulty.set(0)
        try await withBench { bench in
            try await watched(bench) {
                try await bench.run { dispatcher in
                    try await accept(in: bench, for: dispatcher)
                    try await bench.drained { try await requirePatience(dispatcher, $0) }
                }
            }
            try await check(bench.store)
        }
        return summary
    }

    // MARK: Lives

    /// Opens the store as a start does, and lets go of it as a stop does, where one has to come or chance wants it.
    private func withBench(_ body: (PushBench) async throws -> Void) async throws {
        let bench = try await openBench()
        self.bench = bench
        try await body(bench)
        if let reading = bench.serviceClock.reading, random.hit(2) { try? await bench.store.keep(reading) }
        if hasStopped(bench.store) || random.hit(2) { self.bench = nil }
    }

    private func openBench() async throws -> PushBench {
        if let bench { return bench }
        // The last one's threads may hold it a moment longer; a start that cannot read is made again.
        while true {
            do {
                return try await PushBench(
                    clock: clock, sender: sender, configuration: configuration, capacity: capacity,
                    directory: directory, limits: limits, conditions: disk.conditions)
            } catch {
                guard let error = error as? StoreError, error.code == .locked || error.isOfTheDisk else { throw error }
                try require(isPatient, "not opened any more: \(error)")
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }

    private func register(_ device: Int, in bench: PushBench) async throws {
        let chosen = Set(senders.indices.filter { _ in random.hit(2) })
        watching[device] = chosen
        if random.hit(3) { inventions.insert(device) }
        try await bench.register(
            Samples.device(device, watching: chosen.sorted().map { senders[$0] }),
            onProbation: inventions.contains(device))
    }

    /// One start, some traffic, one stop.
    private func live() async throws {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let next = UInt64(messages.count) + 1
            let (author, numbers) = (Int(random.next() % 3), next..<next + 1 + random.next() % 4)
            for number in numbers { messages[number] = author }
            pending.append((author, numbers))
        }
        let target = sender.count + Int.random(in: 0...25, using: &random)
        let leaving = random.hit(3) ? Int(random.next() % UInt64(devices)) : nil
        let arriving = random.hit(2) ? PushSimulation.extras + answered.count : nil
        try await withBench { bench in
            try await watched(bench) {
                try await bench.run { dispatcher in
                    let registry = bench.registry(of: dispatcher)
                    jump()
                    try await accept(in: bench, for: dispatcher)
                    if let arriving { try await arrive(arriving, at: registry) }
                    try await bench.clock.asleep {
                        try await look(at: dispatcher, bench)
                        if random.hit(8) { jump() }
                        let totals = try await oracle { try await bench.store.totals() }
                        try await requirePatience(dispatcher, totals)
                        return hasStopped(bench.store) || sender.count >= target
                            || totals.events == 0 && totals.deliveries == 0
                    }
                    if let leaving { try await leave(leaving, at: registry) }
                }
            }
            if hasStopped(bench.store) { summary.stops += 1 }
        }
        jump()
    }

    /// The chain's side: what the store does not take is offered again, in the next life if it has stopped.
    private func accept(in bench: PushBench, for dispatcher: Dispatcher) async throws {
        while let news = pending.first, !hasStopped(bench.store) {
            do {
                // The chain's own time: ours is not to be trusted here.
                try await bench.accept(
                    news.numbers, from: senders[news.sender], blockTime: start + news.numbers.lowerBound)
                pending.removeFirst()
            } catch let error as StoreError {
                try require(error.isOfTheDisk, "not taken in: \(error)")
            }
            dispatcher.wake()
            await Task.yield()
        }
    }

    private func arrive(_ device: Int, at registry: DeviceRegistry) async throws {
        do {
            try await registry.register(
                Registration(
                    token: Samples.token(device), platform: .ios, watchedAddresses: [Samples.address(99)]))
            answered.append(device)
        } catch let error as StoreError {
            try require(error.isOfTheDisk, "not registered: \(error)")
        }
    }

    private func leave(_ device: Int, at registry: DeviceRegistry) async throws {
        do {
            try await registry.unregister(token: Samples.token(device))
            if unregistered[device] == nil {
                unregistered[device] = sender.requests(to: Samples.token(device)).count
            }
        } catch let error as StoreError {
            try require(error.isOfTheDisk, "not unregistered: \(error)")
        }
    }

    private func jump() {
        guard random.hit(2) else { return }
        summary.jumps += 1
        let longest = PushSimulation.jumps[Int(random.next() % UInt64(PushSimulation.jumps.count))]
        let far = Int64(random.next() % (longest + 1))
        clock.setWall(ahead: random.hit(2) ? far : -far)
    }

    private static func answer(_ request: APNsRequest, _ attempt: Int, seed: UInt64, isFaulty: Bool) -> APNsOutcome {
        var mixed = seed
        for byte in request.id.utf8 { mixed = (mixed ^ UInt64(byte)) &* 0x100_0000_01b3 }
        var random = SeededRandom(seed: mixed &+ UInt64(attempt))
        guard isFaulty, attempt < 6, !random.hit(3) else { return .delivered(apnsID: request.id) }
        switch random.next() % 16 {
        case 0: return .serverUnavailable(.internalServerError, retryAfter: nil)
        case 1: return .serverUnavailable(.shutdown, retryAfter: .seconds(random.next() % 60))
        case 2: return .deviceThrottled(retryAfter: .seconds(random.next() % 120))
        case 3: return .transport(.timeout)
        case 4: return .transport(.reset)
        case 5: return .payloadTooLarge
        case 6: return .configurationRefused(.topicDisallowed)
        case 7: return .providerTokenThrottled(retryAfter: nil)
        case 8: return .notSent(.abandoned)
        case 9: return .notSent(.shuttingDown)
        case 10: return .tokenInvalid(.badDeviceToken)
        case 11: return .tokenGone(.unregistered, timestampMilliseconds: random.hit(2) ? 0 : .max)
        case 12: return .requestMistake(.badExpirationDate)
        case 13: return .unknown(status: 500, reason: nil, retryAfter: nil)
        case 14: return .unknown(status: 403, reason: "New", retryAfter: nil)
        default: return .notSent(.noProviderToken("disk full"))
        }
    }

    // MARK: Invariants

    private var isPatient: Bool { ContinuousClock.now - begun < PushSimulation.patience }

    private func requirePatience(_ dispatcher: Dispatcher, _ totals: Store.Totals) async throws {
        guard !isPatient else { return }
        let (running, unsettled) = await (dispatcher.deliveries.sendingCount, dispatcher.deliveries.unwrittenCount)
        let trouble = await dispatcher.trouble(of: .apns) ?? "none"
        throw Violation(
            description: """
                seed \(seed): stands still with \(totals), \(running) under way, \(unsettled) not settled, \
                \(sender.count) sent, \(disk.troubles), trouble: \(trouble)
                """)
    }

    /// At any moment, whatever is under way.
    private func look(at dispatcher: Dispatcher, _ bench: PushBench) async throws {
        try require(try await oracle { try await bench.store.outbox.books().balance }, "the books do not balance")
        try require(sender.overlaps.isEmpty, "a device had two notifications in flight")
        try require(sender.most <= capacity, "more in flight than the capacity")
        let unsettled = await dispatcher.unparked
        try require(unsettled <= capacity, "\(unsettled) attempts in memory")
    }

    /// What was sent in `life`, held against the store before and after it.
    private func watched(_ bench: PushBench, _ life: () async throws -> Void) async throws {
        let before = try await waiting(in: bench.store)
        try require(closed.isDisjoint(with: before.keys), "what was written as answered waits again")
        let first = sender.count
        try await life()
        try await checkBooks(bench.store)
        let ended = try checkNames(
            sender.exchanges.dropFirst(first), withoutPayload: Set(before.filter(\.value).keys))
        let after = try await waiting(in: bench.store)
        let unwritten = ended.intersection(after.keys)
        let troubles = disk.troubles
        try require(
            unwritten.isEmpty || troubles.failedChanges + troubles.failedReads + troubles.noSpaces > 0,
            "answered for good and still waiting: \(unwritten)")
        // A read that failed parks an answer, of each device at most one.
        let most = troubles.failedReads > 0 ? capacity + devices : capacity
        try require(unwritten.count <= most, "more unwritten answers than there were in flight or parked")
        summary.repeats += unwritten.count
        closed.formUnion(ended.subtracting(unwritten))
        for device in answered {
            let isThere =
                try await oracle { try await bench.store.registry.device(DeviceID(token: Samples.token(device))) }
                != nil
            try require(isThere, "registration \(device) was answered and is gone")
        }
    }

    /// The names that were answered for good: none is sent again, and none with a payload that was too large.
    private func checkNames(
        _ exchanges: some Sequence<ScriptedSender.Exchange>, withoutPayload before: Set<String>
    ) throws -> Set<String> {
        var ended: Set<String> = []
        var hasShrunk = before
        for exchange in exchanges {
            let name = exchange.request.deviceToken + exchange.request.collapseID
            try require(
                !ended.contains(name) && !closed.contains(name), "\(name) was sent after its last answer")
            let hasPayload = try NotificationText(exchange.request.payload).payload != nil
            try require(hasPayload != hasShrunk.contains(name), "\(name) has the wrong payload")
            switch exchange.outcome {
            case .delivered, .tokenInvalid, .tokenGone, .requestMistake: ended.insert(name)
            case .payloadTooLarge: if !hasShrunk.insert(name).inserted { ended.insert(name) }
            default: break
            }
        }
        return ended
    }

    /// What waits in the store by the name that `checkNames` uses, and whether its payload is to be left out.
    private func waiting(in store: Store) async throws -> [String: Bool] {
        let tokens = (0..<devices).map { Samples.token($0) }
        let names = Dictionary(uniqueKeysWithValues: tokens.map { (DeviceID(token: $0), String.hex($0)) })
        return try await oracle {
            try await store.outbox.waitingDeliveries(limit: .max).reduce(into: [:]) { waiting, entry in
                let delivery = entry.delivery
                waiting[names[delivery.device, default: ""] + delivery.transactionID.description] =
                    delivery.omitsPayload
            }
        }
    }

    /// Everything is in one state, and every row has its counterpart.
    private func checkBooks(_ store: Store) async throws {
        let check = try await oracle { try store.checkBooks() }
        try require(check.isSound, "the books are wrong: \(check.problems) \(check.books)")
    }

    private func check(_ store: Store) async throws {
        for device in 0..<devices { try await check(device, store) }
        let totals = try await oracle { try await store.totals() }
        try require(totals.events == 0 && totals.deliveries == 0, "the books are not empty: \(totals)")
    }

    /// Who is still registered was told, or given a final answer, of all that it watches, in order and without a gap.
    private func check(_ device: Int, _ store: Store) async throws {
        let token = Samples.token(device)
        let text = String.hex(token)
        let exchanges = sender.exchanges.filter { $0.request.deviceToken == text }
        if let sent = unregistered[device] {
            try require(exchanges.count == sent, "device \(device) was sent something after its unregister")
        }
        var seqs: [UInt64] = []
        var names: [String] = []
        // What comes again, unwritten, comes before anything else for its device.
        for exchange in exchanges where exchange.request.id != names.last {
            names.append(exchange.request.id)
            seqs.append(try NotificationText(exchange.request.payload).seq ?? 0)
        }
        try require(Set(names).count == names.count, "device \(device) got its messages out of order")
        try require(zip(seqs, seqs.dropFirst()).allSatisfy { $0 < $1 }, "device \(device) is out of order: \(seqs)")
        let id = DeviceID(token: token)
        guard try await oracle({ try await store.registry.device(id) }) != nil else {
            let isBounded = limits.queuedPerDevice < StoreLimits().queuedPerDevice
            return try require(
                isBounded || seqs == (0..<seqs.count).map { UInt64($0) + 1 }, "device \(device) has a gap: \(seqs)")
        }
        // What was not sent was dropped from a full queue, and the log says so.
        let log = try await oracle { try await store.outbox.deliveryLog(of: id, after: 0, queuedSince: 0, limit: .max) }
        let dropped = (log?.entries ?? []).filter { $0.reason == SuppressionReason.queueFull.rawValue }
        let numbers = seqs + dropped.map(\.seq)
        try require(
            numbers.sorted() == (0..<numbers.count).map { UInt64($0) + 1 }, "device \(device) has a gap: \(seqs)")
        let told = Set(exchanges.map(\.request.collapseID))
        let due = messages.filter { watching[device]?.contains($0.value) == true }.map {
            Samples.hash($0.key).description
        }
        let known = told.union(dropped.map(\.transactionID.description))
        // On probation what is beyond five leaves no row, but in the books.
        try require(
            inventions.contains(device)
                ? known.isSubset(of: due) && (due.count > 5 || known.count == due.count)
                : known == Set(due),
            "device \(device) was told of \(told.count) of \(due.count) messages")
    }

    private func hasStopped(_ store: Store) -> Bool {
        SimulatedDisk.$isOracle.withValue(true) { store.trouble?.code == .stopped }
    }

    private func oracle<Result>(_ look: () async throws -> Result) async rethrows -> Result {
        try await SimulatedDisk.$isOracle.withValue(true, operation: look)
    }

    private func require(_ condition: Bool, _ text: @autoclosure () -> String) throws {
        guard condition else { throw Violation(description: "seed \(seed): \(text())") }
    }
}

extension Dispatcher {
    /// How many attempts wait for their answer, or to have it written.
    fileprivate var unparked: Int { deliveries.sendingCount + deliveries.unwrittenCount }
}
