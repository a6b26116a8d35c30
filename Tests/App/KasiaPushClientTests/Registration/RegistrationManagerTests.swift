import Foundation
import KasiaPushCore
import Testing

@testable import KasiaPushClient

/// The manager against the model of the service: storing, keys, and the run that sleeps and wakes.
@Suite struct RegistrationManagerTests {
    let world = SimulatedWorld(seed: 3)
    let token: PushToken

    init() async throws {
        token = try SomeToken.apns(1)
        await world.set { $0.walletsOnPhone = [1] }
    }

    private var device: ModelService.Device? { get async { await world.service.devices[token] } }

    @Test func aWishIsStoredBeforeItIsTaken() async throws {
        let manager = try await world.begin().manager()
        try await manager.want(.signedIn(try MachineScript.registration()))
        let next = try await world.begin().manager()
        await world.settle(next)
        #expect(await device?.wallet == FakeWalletKey(1).address)
    }

    @Test func aWishThatCouldNotBeStoredIsStoredWhenItIsSaidAgain() async throws {
        let manager = try await world.begin().manager()
        await world.set { $0.weather.diskFull = 1 }
        let wish = WantedRegistration.signedIn(try MachineScript.registration())
        for _ in 0..<2 {
            await #expect(throws: SimulatedWorld.Failure.self) { try await manager.want(wish) }
        }
        await world.set { $0.weather.diskFull = 0 }
        try await manager.want(wish)
        #expect(await world.stored?.wanted == wish.canonical)
    }

    @Test func whatCannotBeStoredIsNotSent() async throws {
        let manager = try await world.begin().manager()
        await world.set { $0.weather.diskFull = 1 }
        let registration = try MachineScript.registration()
        await #expect(throws: SimulatedWorld.Failure.self) { try await manager.want(.signedIn(registration)) }
        await world.advance(to: await world.time + 1_000)
        _ = await manager.step()
        #expect(await device == nil)
        #expect(await manager.progress.problem?.kind == .notStored)
        await world.set { $0.weather.diskFull = 0 }
        await world.settle(manager)
        #expect(await device != nil)
        #expect(await manager.progress.problem == nil)
    }

    @Test func aLockedPhoneIsTriedAgain() async throws {
        let manager = try await world.begin().manager()
        await world.set { $0.weather.locked = 1 }
        try await manager.want(.signedIn(try MachineScript.registration()))
        await world.advance(to: await world.time + 1_000)
        _ = await manager.step()
        #expect(await manager.progress.problem?.kind == .keyUnavailable)
        #expect(await world.requests == 0)
        await world.set { $0.weather.locked = 0 }
        await world.settle(manager)
        #expect(await device != nil)
    }

    @Test func theDeviceKeyFreesTheTokenOfAWalletThatIsGone() async throws {
        let manager = try await world.begin().manager()
        try await manager.want(.signedIn(try MachineScript.registration()))
        await world.settle(manager)
        await world.set { $0.walletsOnPhone = [2] }
        try await manager.want(.signedIn(try MachineScript.registration(wallet: 2)))
        await world.settle(manager)
        #expect(await device?.wallet == FakeWalletKey(2).address)
    }

    @Test func afterAReinstallTheDeviceKeyFreesTheTokenOfAnUnknownWallet() async throws {
        let manager = try await world.begin().manager()
        try await manager.want(.signedIn(try MachineScript.registration()))
        await world.settle(manager)
        await world.deleteApp(keepsCounter: false)
        await world.set { $0.walletsOnPhone = [2] }
        let next = try await world.begin().manager()
        try await next.want(.signedIn(try MachineScript.registration(wallet: 2)))
        await world.settle(next)
        #expect(await device?.wallet == FakeWalletKey(2).address)
        #expect(await world.violations == [])
    }

    @Test func anotherDeviceKeyCannotFreeATokenOfAWalletThatIsGone() async throws {
        let manager = try await world.begin().manager()
        try await manager.want(.signedIn(try MachineScript.registration()))
        await world.settle(manager)
        await world.set {
            $0.deviceKey = 7
            $0.walletsOnPhone = [2]
        }
        try await manager.want(.signedIn(try MachineScript.registration(wallet: 2)))
        for _ in 0..<10 where await manager.step() != .idle { await world.advance(to: await world.time + 1_000) }
        #expect(await device?.wallet == FakeWalletKey(1).address)
        #expect(await manager.progress.problem?.kind == .boundElsewhere)
        // The wallet is imported again and signs out: then the phone is free.
        await world.set { $0.walletsOnPhone = [1, 2] }
        try await manager.want(.signedOut)
        await world.settle(manager)
        #expect(await device == nil)
    }

    @Test func aWalletIsHeldForAWeekAfterAStrangerFreedItsToken() async throws {
        await world.set { $0.deviceKey = nil }
        let manager = try await world.begin().manager()
        try await manager.want(.signedIn(try MachineScript.registration()))
        await world.settle(manager)
        await world.set {
            $0.deviceKey = 1
            $0.walletsOnPhone = [2]
        }
        try await manager.want(.signedIn(try MachineScript.registration(wallet: 2)))
        let begin = await world.time
        await world.settle(manager)
        #expect(await device?.wallet == FakeWalletKey(2).address)
        #expect(
            (ModelService.holdTime...(ModelService.holdTime + MachineScript.day)).contains(await world.time - begin))
    }

    @Test func aServiceThatIsFullIsAskedAgainInAnHour() async throws {
        await world.set { $0.service.isFull = true }
        let manager = try await world.begin().manager()
        try await manager.want(.signedIn(try MachineScript.registration()))
        await world.advance(to: await world.time + 1_000)
        _ = await manager.step()
        guard case .waiting(let time) = await manager.progress.stage else {
            Issue.record("it does not wait")
            return
        }
        let pause = time - world.clock.now
        #expect((3_600_000...5_400_000).contains(pause))
    }

    // MARK: Kept states

    /// A state as version 1 of the library stored it: a sign-out that is not done yet, with a pause.
    @Test func aStateOfAnEarlierVersionIsRead() async throws {
        let token = try SomeToken.apns(1)
        let wallet = FakeWalletKey(1).address
        let json = """
            {"wanted":{"signedOut":{}},"wantedAt":1767225600000,"numbering":3,
             "pause":{"failures":2,"until":1767225600000,"length":30000,"isAsked":false},
             "tokens":[{"token":"\(token.text)","wasTried":true,
               "acknowledged":{"registered":{"_0":"00"}},"wallets":["\(wallet)"],
               "unanswered":[{"token":"\(token.text)","content":{"absent":{}},"sentAt":1767225600000,
                 "until":1767225670000,"nonce":{"issuedAt":1,"expiresAt":60001},"repeats":0}],
               "mustRelease":false,"releaseFailed":false,"releases":0,"immediateRetries":0,"startsAnew":false}]}
            """
        let state = try JSONDecoder().decode(RegistrationState.self, from: Data(json.utf8))
        var machine = RegistrationMachine(state, now: 1_767_225_700_000)
        #expect(machine.next(now: 1_767_225_700_000) == .send(.unregister(token, wallet: wallet)))
        #expect(machine.progress(now: 1_767_225_700_000).pendingUnregisters == 1)
    }

    // MARK: Running

    @Test(.timeLimit(.minutes(5)))
    func theRunWakesForAWishAndEndsWhenItIsCancelled() async throws {
        let process = await world.begin()
        var environment = world.clock.environment
        let world = world
        // Short pauses pass at once; a long one lasts until something wakes it.
        environment.sleep = { duration in
            guard duration > .seconds(60) else {
                await world.advance(to: world.time + duration.wholeMilliseconds)
                return
            }
            try? await Task.sleep(for: .seconds(600))
        }
        let manager = RegistrationManager(calls: process, keys: process, state: nil, environment: environment) {
            try await world.store($0, process.life)
        }
        let run = Task { await manager.run() }
        var changes = manager.changes.makeAsyncIterator()
        for wish in [WantedRegistration.signedIn(try MachineScript.registration()), .signedOut] {
            try await manager.want(wish)
            while let progress = await changes.next(), progress.stage != .done || !progress.isInEffect {}
            #expect(await (device != nil) == (wish.registration != nil))
        }
        run.cancel()
        await run.value
        #expect(await world.violations == [])
    }
}
