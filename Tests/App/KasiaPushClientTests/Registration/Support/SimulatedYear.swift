import KasiaPushCore

@testable import KasiaPushClient

/// A year of an app's life: what the user does, what happens to the phone, the network and the service.
struct SimulatedYear {
    static let day: Int64 = 86_400_000

    /// What the seed decides once.
    struct Kind {
        var mode: ModelService.Mode
        var hasDeviceKey: Bool
        var isSigned: Bool
        var mayKill: Bool
        var mayBeLate: Bool
    }

    let world: SimulatedWorld
    let kind: Kind
    var random: RandomStream
    var process: SimulatedProcess
    var manager: RegistrationManager
    var wish = WantedRegistration.signedOut
    var former: DeviceRegistration?
    var token: PushToken
    var wallet = 0
    var tokenCount = 0
    /// Tokens that this installation had.
    var tokens: Set<PushToken> = []
    var goneUntold = false
    var events = 0

    init(seed: UInt64) async throws {
        var random = RandomStream(seed: seed)
        var kind = Kind(
            mode: ModelService.Mode.allCases.randomElement(using: &random) ?? .mixed, hasDeviceKey: random.chance(0.8),
            isSigned: random.chance(0.9), mayKill: random.chance(0.7), mayBeLate: random.chance(0.7))
        if !kind.isSigned {
            kind.mode = .mixed
            // Nothing ever expires of a request that is not signed.
            kind.mayBeLate = false
        }
        self.kind = kind
        world = SimulatedWorld(seed: random.next(), deviceKey: kind.hasDeviceKey ? 0 : nil)
        process = await world.begin()
        manager = try await process.manager()
        token = try SomeToken.apns(0)
        self.random = random
        tokens = [token]
        let mode = kind.mode
        await world.set {
            $0.service.mode = mode
            $0.walletsOnPhone = [0]
        }
    }

    /// Lives through `days`; every now and then, and in the end, the weather is fine for as long as it takes.
    mutating func run(days: Int64) async throws -> Outcome {
        let end = await world.time + days * SimulatedYear.day
        var nextEvent = await world.time
        while await world.time < end {
            if await world.time >= nextEvent {
                await checkTokens()
                events += 1
                if events % 12 == 0 { try await settle() } else { try await event() }
                nextEvent = await world.time + pause()
            }
            await move(until: nextEvent)
            try await restartIfEnded()
        }
        await world.setClockError(0)
        try await settle()
        return Outcome(
            problems: await world.violations, journal: await world.journal, events: events,
            requests: await world.requests)
    }

    /// What there is in the end.
    struct Outcome {
        var problems: [String]
        var journal: [String]
        var events: Int
        var requests: Int
    }

    /// Whatever the service has of this installation, the manager knows of it.
    func checkTokens() async {
        let known = await manager.machine.state.tokens.map(\.token)
        let registered = await world.service.devices
        for token in await world.triedTokens where registered[token] != nil && !known.contains(token) {
            await world.violate("\(token) is registered and forgotten")
        }
    }

    // MARK: Time

    /// One step of the manager, and the time until the next.
    mutating func move(until next: Int64) async {
        if random.chance(0.05) { await stepTwice() }
        switch await manager.step() {
        case .send: break
        case .wait(let time):
            let target = time - world.clock.currentError
            await world.advance(to: min(max(target, await world.time + 1), max(next, await world.time + 1)))
        case .idle: await world.advance(to: max(next, await world.time + 1))
        }
    }

    /// A second step while a request is on its way has nothing to do.
    func stepTwice() async {
        let (manager, world, process) = (manager, world, process)
        await world.set {
            $0.onTheWay = {
                await world.set { $0.onTheWay = nil }
                guard await process.isAlive else { return }
                if await manager.step() != .idle { await world.violate("a second step begins") }
            }
        }
    }

    mutating func pause() -> Int64 {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: Int64.random(in: 0...2_500, using: &random)
        case 3..<5: Int64.random(in: 0...300_000, using: &random)
        default: Int64.random(in: 0...(3 * SimulatedYear.day), using: &random)
        }
    }

    // MARK: Processes

    mutating func restartIfEnded() async throws {
        while await !process.isAlive { try await start() }
    }

    mutating func start() async throws {
        process = await world.begin()
        manager = try await process.manager()
        // An app says what it wants at its start, but it may also end before it does.
        if random.chance(0.8) { await say() }
        if goneUntold { await tellGone() }
    }

    mutating func say() async {
        // If it cannot be stored the user sees it, and the app says it again.
        try? await manager.want(wish)
    }

    mutating func wants(_ new: WantedRegistration) async {
        if await manager.machine.state.wanted != new.canonical { await world.noteWish() }
        let registration = new.registration
        await world.note("wants \(registration.map { "\($0.token) \($0.walletAddress ?? "")" } ?? "to be signed out")")
        wish = new
        await say()
    }

    // MARK: Fine weather

    /// The network is back and nothing fails any more: soon the service has what is wanted, and nothing else.
    mutating func settle() async throws {
        let before = await world.weather
        await world.set {
            $0.weather = .fine
            $0.service.isFull = false
        }
        if random.chance(0.3) { try await start() }
        await wants(wish)
        if goneUntold { await tellGone() }
        // A refusal is looked at again after a day; a pause that the service has asked for is shorter.
        let isRefused = await manager.machine.state.tokens.contains { $0.refusal != nil }
        let begin = await world.time
        await world.settle(manager)
        let end = await world.time
        if !isRefused, end > begin + 3 * 3_600_000 { await world.violate("it takes too long") }
        for problem in await problems() { await world.violate(problem) }
        await world.set { $0.weather = before }
    }

    func problems() async -> [String] {
        var problems: [String] = []
        let progress = await manager.progress
        if progress.stage != .done || !progress.isInEffect || progress.pendingUnregisters != 0 {
            problems.append("it does not come to an end: \(progress)")
        }
        let devices = await world.service.devices
        for token in await world.triedTokens where wish.registration?.token != token && devices[token] != nil {
            problems.append("a token is still registered: \(token)")
        }
        guard let wanted = wish.canonical.registration else { return problems }
        let device = devices[wanted.token]
        if device?.request != wanted.request { problems.append("another registration than the wanted one") }
        if device?.wallet != wanted.walletAddress { problems.append("bound to another wallet than the wanted one") }
        return problems
    }
}
