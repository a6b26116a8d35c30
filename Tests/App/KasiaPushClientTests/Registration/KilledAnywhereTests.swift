import KasiaPushCore
import Testing

@testable import KasiaPushClient

/// The process ends at each point in turn: before and after each store, each counter and each request.
@Suite struct KilledAnywhereTests {
    /// What the user does, one after the other.
    private static func wishes() throws -> [WantedRegistration] {
        [
            .signedIn(try MachineScript.registration()), .signedIn(try MachineScript.registration(alias: "two")),
            .signedIn(try MachineScript.registration(2, alias: "two")),
            .signedIn(try MachineScript.registration(2, wallet: 2)), .signedOut,
            .signedIn(try MachineScript.registration(3, wallet: 1)), .signedOut,
        ]
    }

    /// Plays the wishes and ends at a point; the number of points and what is wrong.
    private func play(
        killedAt point: Int?, upTo count: Int, isPatient: Bool
    ) async throws -> (points: Int, problems: [String]) {
        let world = SimulatedWorld(seed: 4)
        await world.set {
            $0.walletsOnPhone = [1, 2]
            $0.killPoint = point
        }
        var process = await world.begin()
        var manager = try await process.manager()
        let wishes = try Array(KilledAnywhereTests.wishes().prefix(count))
        for wish in wishes {
            try? await manager.want(wish)
            for _ in 0..<50 {
                if await !process.isAlive {
                    process = await world.begin()
                    manager = try await process.manager()
                    // A wish that was not stored is said again at the start.
                    try await manager.want(wish)
                }
                let step = await manager.step()
                if case .wait(let time) = step {
                    // An impatient user does the next thing while something waits for its time.
                    if !isPatient, time > world.clock.now + 1_000 { break }
                    await world.advance(to: time)
                }
                if step == .idle, await process.isAlive { break }
            }
        }
        await world.settle(manager)
        let wanted = wishes.last?.canonical.registration
        var problems = await world.violations
        let devices = await world.service.devices
        if devices.mapValues(\.request) != (wanted.map { [$0.token: $0.request] } ?? [:]) {
            problems.append("the service has \(devices.keys)")
        }
        if wanted.map({ devices[$0.token]?.wallet == $0.walletAddress }) == false { problems.append("another wallet") }
        if await !manager.progress.isInEffect { problems.append("it is not in effect") }
        return (await world.points, problems)
    }

    @Test(arguments: 1...7, [true, false])
    func theServiceHasWhatIsWantedAllTheSame(_ count: Int, _ isPatient: Bool) async throws {
        let (points, problems) = try await play(killedAt: nil, upTo: count, isPatient: isPatient)
        #expect(problems == [])
        #expect(points > 8 * count)
        for point in 1...points {
            let problems = try await play(killedAt: point, upTo: count, isPatient: isPatient).problems
            #expect(problems == [], "killed at \(point) of \(points)")
        }
    }
}
