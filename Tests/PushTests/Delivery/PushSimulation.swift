import APNs
import Kaspa
import Push
import Store
import Synchronization

/// One life of a service with unlucky days: devices, messages, every kind of answer, stops and starts, all from a seed.
///
/// The answers follow from the seed, the notification's name and the attempt; how tasks interleave does not.
struct PushSimulation {
    /// What must never happen, found afterwards.
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    private let seed: UInt64
    private var random: SeededRandom
    private let bench: PushBench
    private let devices: Int
    private let senders = [Samples.alice, Samples.bob, Samples.carol]
    private var watching: [Int: Set<Int>] = [:]
    private var messages: [UInt64: Int] = [:]
    private var unregistered: [Int: Int] = [:]
    private let faults = Tally()

    init(seed: UInt64) throws {
        self.seed = seed
        var random = SeededRandom(seed: seed)
        devices = Int.random(in: 1...8, using: &random)
        let jumps = random.next()
        let clock = TestClock { jumps % 30_000 }
        bench = try PushBench(
            clock: clock,
            configuration: PushConfiguration(
                network: .mainnet, expiration: .seconds(86_400 * 365), invalidTokenStrikes: Int(1 + random.next() % 3),
                capacity: Int.random(in: 1...6, using: &random)))
        self.random = random
    }

    /// Runs to the end and checks; throws the first violation.
    mutating func run() async throws {
        faults.set(1)
        let (faults, seed) = (faults, seed)
        bench.sender.use { request, attempt in
            PushSimulation.answer(request, attempt, seed: seed, isFaulty: faults.count == 1)
        }
        for device in 0..<devices { try await register(device) }
        for _ in 0..<Int.random(in: 1...3, using: &random) { try await live() }
        faults.set(0)
        try await bench.run { _ in try await bench.drained() }
        try check()
    }

    private mutating func register(_ device: Int) async throws {
        let chosen = Set(senders.indices.filter { _ in random.hit(2) })
        watching[device] = chosen
        try await bench.register(Samples.device(device, watching: chosen.sorted().map { senders[$0] }))
    }

    /// One start, some traffic, one stop.
    private mutating func live() async throws {
        let steps = Int.random(in: 1...4, using: &random)
        let patience = Int.random(in: 0...25, using: &random)
        var random = random
        defer { self.random = random }
        var news: [(sender: Int, numbers: Range<UInt64>)] = []
        var next = UInt64(messages.count) + 1
        for _ in 0..<steps {
            let (sender, count) = (Int(random.next() % 3), 1 + random.next() % 4)
            news.append((sender, next..<next + count))
            for number in next..<next + count { messages[number] = sender }
            next += count
        }
        let leaving = random.hit(3) ? Int(random.next() % UInt64(devices)) : nil
        let (bench, senders) = (bench, senders)
        let target = bench.sender.count + patience
        let sent = try await bench.run { [news] dispatcher in
            for (sender, numbers) in news {
                try await bench.accept(numbers, from: senders[sender])
                dispatcher.wake()
                await Task.yield()
            }
            try await bench.clock.asleep {
                // At any moment, whatever is under way: a snapshot balances.
                guard try bench.store.books().balance else { throw Violation(description: "the books do not balance") }
                let totals = try bench.store.totals()
                return bench.sender.count >= target || totals.events == 0 && totals.deliveries == 0
            }
            guard let leaving else { return 0 }
            try await bench.registry(of: dispatcher).unregister(token: Samples.token(leaving))
            return bench.sender.requests(to: Samples.token(leaving)).count
        }
        if let leaving, unregistered[leaving] == nil { unregistered[leaving] = sent }
        try checkBooks()
    }

    private static func answer(_ request: APNsRequest, _ attempt: Int, seed: UInt64, isFaulty: Bool) -> SendOutcome {
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

    private func check() throws {
        try require(bench.sender.overlaps.isEmpty, "a device had two notifications in flight")
        try require(bench.sender.most <= bench.configuration.capacity, "more in flight than the capacity")
        try checkNames()
        for device in 0..<devices { try check(device) }
        let totals = try bench.store.totals()
        try require(totals.events == 0 && totals.deliveries == 0, "the books are not empty: \(totals)")
        try checkBooks()
    }

    /// Everything is in one state, and every row has its counterpart.
    private func checkBooks() throws {
        let check = try bench.store.checkBooks()
        try require(check.isSound, "the books are wrong: \(check.problems) \(check.books)")
    }

    /// A name that was answered for good is not sent again.
    private func checkNames() throws {
        var ended: Set<String> = []
        var hasShrunk: Set<String> = []
        for exchange in bench.sender.exchanges {
            let id = exchange.request.id
            try require(!ended.contains(id), "\(id) was sent after its last answer")
            let hasPayload = try NotificationText(exchange.request.payload).payload != nil
            try require(hasPayload != hasShrunk.contains(id), "\(id) has the wrong payload")
            switch exchange.outcome {
            case .delivered, .tokenInvalid, .tokenGone, .requestMistake: ended.insert(id)
            case .payloadTooLarge: if !hasShrunk.insert(id).inserted { ended.insert(id) }
            default: break
            }
        }
    }

    /// Who is still registered was told, or given a final answer, of all that it watches, in order and without a gap.
    private func check(_ device: Int) throws {
        let token = Samples.token(device)
        let text = String.hex(token)
        let exchanges = bench.sender.exchanges.filter { $0.request.deviceToken == text }
        if let sent = unregistered[device] {
            try require(exchanges.count == sent, "device \(device) was sent something after its unregister")
        }
        var seqs: [UInt64] = []
        var names: [String] = []
        for exchange in exchanges where exchange.request.id != names.last {
            names.append(exchange.request.id)
            seqs.append(try NotificationText(exchange.request.payload).seq ?? 0)
        }
        try require(Set(names).count == names.count, "device \(device) got its messages out of order")
        try require(seqs == (0..<seqs.count).map { UInt64($0) + 1 }, "device \(device) has a gap: \(seqs)")
        guard try bench.store.device(DeviceID(token: token)) != nil else { return }
        let told = Set(exchanges.map(\.request.collapseID))
        let due = messages.filter { watching[device]?.contains($0.value) == true }.map {
            Samples.hash($0.key).description
        }
        try require(told == Set(due), "device \(device) was told of \(told.count) of \(due.count) messages")
    }

    private func require(_ condition: Bool, _ text: String) throws {
        guard condition else { throw Violation(description: "seed \(seed): \(text)") }
    }
}
