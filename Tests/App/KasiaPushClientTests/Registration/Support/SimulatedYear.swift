import KasiaPushCore

@testable import KasiaPushClient

/// A year of an app's life: what the user does, what happens to the phone, the network and the service.
struct SimulatedYear {
    static let day: Int64 = 86_400_000

    /// What the seed decides once.
    struct Kind {
        var mode: ModelService.Mode
        var hasDeviceKey: Bool
        var mayKill: Bool
        var mayBeLate: Bool
    }

    let world: SimulatedWorld
    let kind: Kind
    private var random: RandomStream
    private var process: SimulatedProcess
    private var manager: RegistrationManager
    private var wish = WantedRegistration.signedOut
    private var former: DeviceRegistration?
    private var token: PushToken
    private var wallet = 0
    private var tokenCount = 0
    /// Tokens that this installation had.
    private var tokens: Set<PushToken> = []
    private var goneUntold = false
    private var events = 0

    init(seed: UInt64) async throws {
        var random = RandomStream(seed: seed)
        kind = Kind(
            mode: ModelService.Mode.allCases.randomElement(using: &random) ?? .mixed, hasDeviceKey: random.chance(0.8),
            mayKill: random.chance(0.7), mayBeLate: random.chance(0.7))
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
                events += 1
                if events % 12 == 0 { try await settle() } else { try await event() }
                nextEvent = await world.time + pause()
            }
            await move(until: nextEvent)
            try await restartIfEnded()
            await checkTokens()
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
    private func checkTokens() async {
        let known = await manager.machine.state.tokens.map(\.token)
        let registered = await world.service.devices
        for token in await world.triedTokens where registered[token] != nil && !known.contains(token) {
            await world.violate("\(token) is registered and forgotten")
        }
    }

    // MARK: Time

    /// One step of the manager, and the time until the next.
    private mutating func move(until next: Int64) async {
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
    private func stepTwice() async {
        let (manager, world, process) = (manager, world, process)
        await world.set {
            $0.onTheWay = {
                await world.set { $0.onTheWay = nil }
                guard await process.isAlive else { return }
                if await manager.step() != .idle { await world.violate("a second step begins") }
            }
        }
    }

    private mutating func pause() -> Int64 {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: Int64.random(in: 0...2_500, using: &random)
        case 3..<5: Int64.random(in: 0...300_000, using: &random)
        default: Int64.random(in: 0...(3 * SimulatedYear.day), using: &random)
        }
    }

    // MARK: Processes

    private mutating func restartIfEnded() async throws {
        while await !process.isAlive { try await start() }
    }

    private mutating func start() async throws {
        process = await world.begin()
        manager = try await process.manager()
        // An app says what it wants at its start, but it may also end before it does.
        if random.chance(0.8) { await say() }
        if goneUntold { await tellGone() }
    }

    private mutating func say() async {
        // If it cannot be stored the user sees it, and the app says it again.
        try? await manager.want(wish)
    }

    private mutating func wants(_ new: WantedRegistration) async {
        if await manager.machine.state.wanted != new.canonical { await world.noteWish() }
        let registration = new.registration
        await world.note("wants \(registration.map { "\($0.token) \($0.walletAddress ?? "")" } ?? "to be signed out")")
        wish = new
        await say()
    }

    // MARK: Events

    private mutating func event() async throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<38: await changeContent()
        case 38..<46: try await changeToken()
        case 46..<54: await switchWallet()
        case 54..<62: await wants(.signedOut)
        case 62..<70: await signIn()
        case 70..<73: try await reinstall()
        case 73..<82: await changeWeather()
        case 82..<85: await forgetAtService()
        case 85..<88:
            await world.setClockError(Int64.random(in: -SimulatedYear.day...SimulatedYear.day, using: &random))
        case 88..<91: await manager.networkReturned()
        case 91..<93: await manager.retry()
        case 93..<96: try await start()
        default: await changeOnTheWay()
        }
    }

    private mutating func registration() -> DeviceRegistration {
        var registration = DeviceRegistration(
            token: token, platform: .ios, walletAddress: FakeWalletKey(wallet).address)
        registration.primaryAddress = registration.walletAddress
        registration.watchedAddresses = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            FakeWalletKey(Int.random(in: 100...103, using: &random)).address
        }
        registration.aliases = random.chance(0.5) ? ["Alias \(Int.random(in: 0...3, using: &random))"] : []
        registration.environment = random.chance(0.5) ? .production : .development
        if random.chance(0.3) {
            registration.groupIDs = [String(repeating: "0\(Int.random(in: 0...3, using: &random))", count: 32)]
            registration.capabilities = ["group_v1"]
        }
        registration.channels = random.chance(0.3) ? ["kaspa"] : []
        registration.voipToken = random.chance(0.3) ? try? SomeToken.apns(-1) : nil
        return registration
    }

    /// Often it is changed back to what it was.
    private mutating func changeContent() async {
        guard let present = wish.registration else { return }
        if let former, former.token == token, former.walletAddress == present.walletAddress, random.chance(0.4) {
            await wants(.signedIn(former))
        } else {
            await wants(.signedIn(registration()))
        }
        former = present
    }

    private mutating func signIn() async { await wants(.signedIn(registration())) }

    private mutating func changeToken() async throws {
        tokenCount += 1
        token = try SomeToken.apns(tokenCount)
        tokens.insert(token)
        if wish.registration != nil { await wants(.signedIn(registration())) }
    }

    /// Sometimes the old wallet's key leaves the phone: then the device's key has to free the token.
    private mutating func switchWallet() async {
        let old = wallet
        wallet = Int.random(in: 0...4, using: &random)
        let (new, erases) = (wallet, kind.hasDeviceKey && wallet != old && random.chance(0.4))
        await world.set {
            $0.walletsOnPhone.insert(new)
            if erases { $0.walletsOnPhone.remove(old) }
        }
        if wish.registration != nil { await wants(.signedIn(registration())) }
    }

    /// The state is lost and the device's key stays; Apple mostly gives a new token, and the old one is dead.
    private mutating func reinstall() async throws {
        let keepsCounter = random.chance(0.7)
        await world.deleteApp(keepsCounter: keepsCounter)
        if !kind.hasDeviceKey || random.chance(0.7) {
            for token in tokens { await world.forget(token) }
            tokenCount += 1
            token = try SomeToken.apns(tokenCount)
        } else {
            for token in tokens where token != self.token { await world.forget(token) }
        }
        tokens = [token]
        if kind.hasDeviceKey, random.chance(0.5) {
            wallet = Int.random(in: 0...4, using: &random)
            let only = wallet
            await world.set { $0.walletsOnPhone = [only] }
        }
        process = await world.begin()
        manager = try await process.manager()
        wish = .signedOut
        await wants(.signedIn(registration()))
    }

    private mutating func changeWeather() async {
        var weather = SimulatedWorld.Weather()
        switch Int.random(in: 0..<6, using: &random) {
        case 0: weather.isOffline = true
        case 1, 2: break
        case 3:
            weather.serverError = 0.6
            weather.throttled = 0.2
        case 4:
            weather.lostRequest = 0.2
            weather.lostAnswer = 0.3
            weather.doubled = 0.1
            weather.late = kind.mayBeLate ? 0.3 : 0
            weather.forgottenNonce = 0.1
        default:
            weather.diskFull = 0.1
            weather.locked = 0.3
            weather.throttled = 0.1
            weather.late = kind.mayBeLate ? 0.2 : 0
        }
        if kind.mayKill { weather.killed = [0, 0.01, 0.05, 0.2].randomElement(using: &random) ?? 0 }
        let (isFull, new) = (random.chance(0.1), weather)
        await world.set {
            $0.weather = new
            $0.service.isFull = isFull
        }
        if !weather.isOffline { await manager.networkReturned() }
    }

    /// Apple has called the token gone; the app hears of it when it asks for missed pushes.
    private mutating func forgetAtService() async {
        await world.forget(token)
        goneUntold = true
        if await !world.weather.isOffline { await tellGone() }
    }

    private mutating func tellGone() async {
        await world.noteTold(token)
        do {
            try await manager.registrationIsGone(token)
            goneUntold = false
        } catch {
            // It could not be stored: the app asks again at its next start.
        }
    }

    /// The user changes something while a request is on its way.
    private mutating func changeOnTheWay() async {
        guard wish.registration != nil else { return }
        let (manager, world) = (manager, world)
        let next: WantedRegistration = random.chance(0.3) ? .signedOut : .signedIn(registration())
        guard next.canonical != wish.canonical else { return }
        await wants(.signedIn(registration()))
        let said = Said()
        await world.set {
            $0.onTheWay = {
                guard await said.isFirst() else { return }
                if await manager.machine.state.wanted != next.canonical { await world.noteWish() }
                try? await manager.want(next)
            }
        }
        // Until a request is on its way, or a minute has passed.
        let end = await world.time + 60_000
        while await world.time < end, await process.isAlive, await !said.wasSaid { await move(until: end) }
        await world.set { $0.onTheWay = nil }
        if await said.wasSaid { wish = next }
        // The process may have ended before it was stored.
        try? await restartIfEnded()
        await say()
    }

    private actor Said {
        private(set) var wasSaid = false

        func isFirst() -> Bool {
            defer { wasSaid = true }
            return !wasSaid
        }
    }

    // MARK: Fine weather

    /// The network is back and nothing fails any more: soon the service has what is wanted, and nothing else.
    private mutating func settle() async throws {
        let before = await world.weather
        await world.set {
            $0.weather = .fine
            $0.service.isFull = false
        }
        if random.chance(0.3) { try await start() }
        await wants(wish)
        if goneUntold { await tellGone() }
        // A refusal is looked at again after a day, and a wallet's hold ends after a week.
        await world.settle(manager)
        for problem in await problems() { await world.violate(problem) }
        await world.set { $0.weather = before }
    }

    private func problems() async -> [String] {
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
