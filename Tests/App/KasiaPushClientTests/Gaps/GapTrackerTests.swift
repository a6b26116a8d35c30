import KasiaPushCore
import Testing

@testable import KasiaPushClient

/// The search for missed pushes against the model of the service.
@Suite struct GapTrackerTests {
    let world = SimulatedWorld(seed: 1)
    let token: PushToken
    let store = StoredGaps()

    init() throws {
        token = try SomeToken.apns(1)
    }

    /// Keeps the state and the pushes that were fetched.
    actor StoredGaps {
        private(set) var state: GapState?
        private(set) var kept: [UInt64] = []
        private var mayFail = false

        struct Full: Error {}

        func save(_ state: GapState) { self.state = state }

        func keep(_ pushes: [MissedPush]) throws {
            if mayFail { throw Full() }
            kept += pushes.map(\.sequence)
        }

        func fail(_ fails: Bool) { mayFail = fails }
    }

    private func tracker(_ manager: RegistrationManager) async -> GapTracker {
        GapTracker(manager: manager, state: await store.state) { await store.save($0) }
    }

    private func registered(mode: ModelService.Mode = .mixed) async throws -> RegistrationManager {
        await world.set {
            $0.service.mode = mode
            $0.walletsOnPhone = [1]
        }
        let manager = try await world.begin().manager()
        try await manager.want(.signedIn(try MachineScript.registration()))
        await world.settle(manager)
        return manager
    }

    private func push(_ count: Int) async {
        await world.set { world in
            for _ in 0..<count { _ = world.service.push("transaction", to: token) }
        }
    }

    @Test(arguments: [99, 100, 101, 1_000])
    func everythingThatIsKeptIsFetched(_ count: Int) async throws {
        let manager = try await registered()
        await push(count)
        let tracker = await tracker(manager)
        let result = try await tracker.catchUp { try await store.keep($0) }
        #expect(result?.count == count)
        #expect(result?.isComplete == true)
        #expect(await store.kept == Array(1...UInt64(count)))
        #expect(await !tracker.mustCatchUp)
        #expect(await store.state?.last == UInt64(count))
    }

    @Test func moreThanIsKeptIsInTheLists() async throws {
        let manager = try await registered()
        let tracker = await tracker(manager)
        let order = try #require(try await tracker.catchUp { try await store.keep($0) }?.lists)
        try await tracker.listsWereRead(order)
        await push(1_001)
        let result = try await tracker.catchUp { try await store.keep($0) }
        #expect(result?.count == 1_000)
        #expect(result?.lists != nil)
        await push(3)
        await world.advance(to: await world.time + ModelService.logTime + 1)
        let late = try await tracker.catchUp { try await store.keep($0) }
        #expect(late?.count == 0)
        #expect(await tracker.last == 1_004)
    }

    @Test func aGapIsReportedAndClosed() async throws {
        let manager = try await registered()
        let tracker = await tracker(manager)
        _ = try await tracker.catchUp { try await store.keep($0) }
        await push(3)
        #expect(try await !tracker.received(1))
        #expect(try await tracker.received(3))
        _ = try await tracker.catchUp { try await store.keep($0) }
        #expect(await store.kept == [2, 3])
    }

    @Test func whatCouldNotBeKeptIsFetchedAgain() async throws {
        let manager = try await registered()
        await push(150)
        await store.fail(true)
        await #expect(throws: StoredGaps.Full.self) {
            _ = try await tracker(manager).catchUp { try await store.keep($0) }
        }
        await store.fail(false)
        _ = try await tracker(manager).catchUp { try await store.keep($0) }
        #expect(await store.kept == Array(1...150))
    }

    @Test func aSecondSearchAtTheSameTimeLeavesItToTheFirst() async throws {
        let manager = try await registered()
        await push(1)
        let tracker = await tracker(manager)
        let first = try await tracker.catchUp { _ in
            let second = try await tracker.catchUp { _ in Issue.record("it fetches twice") }
            #expect(second == nil)
        }
        #expect(first?.count == 1)
    }

    @Test func aRegistrationThatBeginsAnewInBetweenIsNotMixedUp() async throws {
        let manager = try await registered()
        await push(150)
        let tracker = await tracker(manager)
        let result = try await tracker.catchUp { _ in
            await world.set { $0.forget(token) }
            try await manager.registrationIsGone(token)
            await world.settle(manager)
            _ = try await tracker.received(1)
        }
        #expect(result?.isComplete == false)
        #expect(await tracker.last == 1)
    }

    @Test(arguments: [ModelService.Mode.mixed, .strict])
    func whatTheServiceWantsSignedIsSigned(_ mode: ModelService.Mode) async throws {
        let manager = try await registered(mode: mode)
        await push(2)
        #expect(try await tracker(manager).catchUp { try await store.keep($0) }?.count == 2)
        await push(1)
        #expect(try await tracker(manager).catchUp(isSigned: true) { try await store.keep($0) }?.count == 1)
    }

    @Test func aDeviceThatIsGoneIsRegisteredAgainAndCountsAnew() async throws {
        let manager = try await registered()
        await push(5)
        let tracker = await tracker(manager)
        _ = try await tracker.catchUp { try await store.keep($0) }
        await world.set { $0.forget(token) }
        let gone = try await tracker.catchUp { try await store.keep($0) }
        #expect(gone?.isComplete == false)
        #expect(gone?.lists != nil)
        await world.settle(manager)
        #expect(await world.service.devices[token] != nil)
        await push(7)
        let again = try await tracker.catchUp { try await store.keep($0) }
        #expect(again?.isComplete == true)
        #expect(await store.kept == Array(1...5) + Array(1...7))
    }

    @Test func aNewTokenIsNotAskedAboutBeforeItIsRegistered() async throws {
        let manager = try await registered()
        await push(5)
        let tracker = await tracker(manager)
        _ = try await tracker.catchUp { try await store.keep($0) }
        try await manager.want(.signedIn(try MachineScript.registration(2)))
        #expect(try await tracker.catchUp { try await store.keep($0) }?.isComplete == false)
        await world.settle(manager)
        let result = try await tracker.catchUp { try await store.keep($0) }
        #expect(result?.isComplete == true)
        #expect(result?.lists != nil)
        #expect(await tracker.last == 0)
    }

    @Test func signedOutThereIsNothingToFetch() async throws {
        let manager = try await world.begin().manager()
        try await manager.want(.signedOut)
        let result = try await tracker(manager).catchUp { try await store.keep($0) }
        #expect(result == CatchUp(isComplete: true))
    }

    @Test func withoutANetworkItStaysDue() async throws {
        let manager = try await registered()
        let tracker = await tracker(manager)
        await world.set { $0.weather.isOffline = true }
        await #expect(throws: IndexerError.self) { _ = try await tracker.catchUp { try await store.keep($0) } }
        #expect(await tracker.mustCatchUp)
    }
}
