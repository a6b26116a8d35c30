import KasiaPushCore

@testable import KasiaPushClient

/// What happens in a year.
extension SimulatedYear {
    mutating func event() async throws {
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
        case 91..<92: await manager.retry()
        case 92..<94: try await start()
        case 94..<97: await changeInHaste()
        default: await changeOnTheWay()
        }
    }

    private mutating func registration() -> DeviceRegistration {
        var registration = DeviceRegistration(
            token: token, platform: .ios, walletAddress: kind.isSigned ? FakeWalletKey(wallet).address : nil)
        registration.primaryAddress = FakeWalletKey(wallet).address
        registration.watchedAddresses = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            FakeWalletKey(Int.random(in: 100...103, using: &random)).address
        }
        registration.aliases = random.chance(0.5) ? ["Alias \(Int.random(in: 0...3, using: &random))"] : []
        registration.environment = random.chance(0.5) ? .production : .development
        if kind.isSigned, random.chance(0.3) {
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

    /// The user changes something and, while that is on its way or late, signs out or changes it back.
    private mutating func changeInHaste() async {
        let (former, before) = (wish, await world.weather)
        let isLate = kind.mayBeLate
        await world.set { if isLate { $0.weather.late = 0.8 } }
        await wants(wish.registration != nil && random.chance(0.5) ? .signedOut : .signedIn(registration()))
        let end = await world.time + Int64.random(in: 1_000...20_000, using: &random)
        while await world.time < end, await process.isAlive { await move(until: end) }
        await world.set { $0.weather = before }
        await wants(random.chance(0.5) ? former : .signedOut)
        await manager.networkReturned()
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
            weather.late = kind.mayBeLate ? 0.5 : 0
            weather.forgottenNonce = 0.1
        default:
            weather.diskFull = 0.1
            weather.locked = 0.3
            weather.throttled = 0.1
            weather.late = kind.mayBeLate ? 0.2 : 0
        }
        if kind.mayKill { weather.killed = [0, 0.01, 0.05, 0.1].randomElement(using: &random) ?? 0 }
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

    mutating func tellGone() async {
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
}
