import Foundation
import KasiaPushCore
import TestRandom
import Testing

@testable import KasiaPushClient

/// Pushes that are lost, late and out of order, in random order with restarts, sign-outs and weeks without network.
@Suite struct MissedPushesSimulationTests {
    static let seed = SeededRandom().seed

    @Test(arguments: 0..<40)
    func eachPushIsKeptOrTheListsAreReadAfterIt(_ number: UInt64) async throws {
        var life = try await PushedLife(seed: MissedPushesSimulationTests.seed &+ number)
        try await life.run(steps: 300)
        #expect(await life.unknown == [], "seed \(MissedPushesSimulationTests.seed), life \(number)")
    }

    @Test func theSeedIsPrinted() {
        print("MissedPushesSimulationTests seed: \(MissedPushesSimulationTests.seed)")
    }
}

/// A registered phone and what it gets of what it is told.
private struct PushedLife {
    /// What the app has: transactions, and up to which of all it has read the lists.
    actor Storage {
        var state: GapState?
        var kept: Set<Int> = []
        var readUpTo = 0

        func save(_ state: GapState) { self.state = state }
        func keep(_ transactions: [Int]) { kept.formUnion(transactions) }
        func read(upTo number: Int) { readUpTo = max(readUpTo, number) }
    }

    let world: SimulatedWorld
    let storage = Storage()
    private var random: RandomStream
    private var manager: RegistrationManager
    private var tracker: GapTracker
    private var told = 0
    /// Pushes that Apple still holds back; it drops them with the registration.
    private var held: [(sequence: UInt64, transaction: Int)] = []
    private var registration: DeviceRegistration

    init(seed: UInt64) async throws {
        random = RandomStream(seed: seed)
        world = SimulatedWorld(seed: random.next())
        await world.set { $0.walletsOnPhone = [1] }
        registration = try MachineScript.registration()
        manager = try await world.begin().manager()
        tracker = GapTracker(manager: manager, state: nil) { [storage] in await storage.save($0) }
        try await manager.want(.signedIn(registration))
        await settle()
    }

    /// Transactions of which the app knows nothing in the end.
    var unknown: [Int] {
        get async {
            let (kept, readUpTo) = (await storage.kept, await storage.readUpTo)
            return (0..<told).filter { $0 >= readUpTo && !kept.contains($0) }
        }
    }

    mutating func run(steps: Int) async throws {
        for _ in 0..<steps { try await step() }
        await world.set { $0.weather = .fine }
        try await restart()
        await settle()
        // Once more, as a device that was gone is registered only after the first time.
        for _ in 0..<2 {
            try await catchUp()
            await settle()
        }
        let result = try await tracker.catchUp { [storage] in await storage.keep($0.transactions) }
        #expect(result?.isComplete == true)
        if result?.lists != nil { try await readLists() }
    }

    private mutating func step() async throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40: await tell(Int.random(in: 1...4, using: &random))
        case 40..<42: await tell(Int.random(in: 90...1_300, using: &random))
        case 42..<60: try await deliver()
        case 60..<72: try? await catchUp()
        case 72..<76: try await readLists()
        case 76..<80: try await restart()
        case 80..<84: await world.advance(to: await world.time + Int64.random(in: 0...864_000_000, using: &random))
        case 84..<88:
            let (isOffline, lost) = (random.chance(0.3), random.chance(0.3) ? 0.3 : 0)
            await world.set {
                $0.weather.isOffline = isOffline
                $0.weather.lostAnswer = lost
            }
        case 88..<91:
            held = []
            await world.set { [token = registration.token] in $0.forget(token) }
        case 91..<94: try await signOutAndIn()
        case 94..<96:
            held = []
            registration = try MachineScript.registration(Int.random(in: 1...1_000, using: &random))
            try await manager.want(.signedIn(registration))
        default: await settle()
        }
    }

    private mutating func tell(_ count: Int) async {
        let token = registration.token
        for _ in 0..<count {
            let transaction = told
            var service = await world.service
            guard let sequence = service.push("\(transaction)", to: token) else { return }
            let new = service
            await world.set { $0.service = new }
            told += 1
            // The rest is lost.
            if random.chance(0.7) { held.append((sequence, transaction)) }
        }
    }

    /// Out of order, some of them twice.
    private mutating func deliver() async throws {
        held.shuffle(using: &random)
        for push in held.prefix(Int.random(in: 0...8, using: &random)) {
            await storage.keep([push.transaction])
            _ = try await tracker.received(push.sequence)
        }
        if random.chance(0.7) { held.removeFirst(min(held.count, 8)) }
    }

    private func catchUp() async throws {
        _ = try await tracker.catchUp { [storage] in await storage.keep($0.transactions) }
    }

    private func readLists() async throws {
        guard let order = await tracker.listsToRead else { return }
        await storage.read(upTo: told)
        try await tracker.listsWereRead(order)
    }

    private mutating func restart() async throws {
        manager = try await world.begin().manager()
        let state = try await storage.state.map {
            try JSONDecoder().decode(GapState.self, from: JSONEncoder().encode($0))
        }
        tracker = GapTracker(manager: manager, state: state) { [storage] in await storage.save($0) }
        try await manager.want(.signedIn(registration))
    }

    private mutating func signOutAndIn() async throws {
        try await manager.want(.signedOut)
        await settle()
        held = []
        try await manager.want(.signedIn(registration))
        await settle()
    }

    private func settle() async {
        for _ in 0..<30 {
            switch await manager.step() {
            case .send: continue
            case .wait(let time): await world.advance(to: min(time, await world.time + 600_000))
            case .idle: return
            }
        }
    }
}

extension [MissedPush] {
    fileprivate var transactions: [Int] { compactMap { Int($0.transactionID) } }
}
