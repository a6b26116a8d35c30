import KasiaPushCore
import Testing

@testable import KasiaPushClient

/// `diagnose()` against the model of the service.
@Suite struct DiagnoseTests {
    let world = SimulatedWorld(seed: 2)

    private func registered(mode: ModelService.Mode = .mixed) async throws -> RegistrationManager {
        await world.set {
            $0.service.mode = mode
            $0.walletsOnPhone = [1]
        }
        let manager = try await world.begin().manager()
        var registration = try MachineScript.registration()
        registration.environment = .production
        try await manager.want(.signedIn(registration))
        await world.settle(manager)
        return manager
    }

    private func verdicts(_ diagnosis: Diagnosis) -> [Diagnosis.Check: Diagnosis.Verdict] {
        Dictionary(uniqueKeysWithValues: diagnosis.findings.map { ($0.check, $0.verdict) })
    }

    @Test(arguments: ModelService.Mode.allCases)
    func ofADeviceThatIsWell(_ mode: ModelService.Mode) async throws {
        let manager = try await registered(mode: mode)
        let gaps = GapTracker(manager: manager, state: nil) { _ in }
        _ = try await gaps.catchUp { _ in }
        let last = await world.time
        let signed = await manager.diagnose(permission: .allowed, lastPush: last, gaps: gaps, isSigned: true)
        #expect(signed.cause == nil)
        #expect(signed.findings.allSatisfy { $0.verdict == .good })
        let unsigned = verdicts(await manager.diagnose(permission: .allowed, lastPush: last, gaps: gaps))
        #expect(unsigned[.registration] == .good)
        #expect(unsigned[.wallet] == .good)
        // A service that answers unsigned questions tells only the wallet which environment it is.
        #expect(unsigned[.environment] == (mode == .strict ? .good : .unknown))
    }

    @Test func withoutANetwork() async throws {
        let manager = try await registered()
        await world.set { $0.weather.isOffline = true }
        let diagnosis = await manager.diagnose(permission: .allowed, lastPush: nil)
        #expect(diagnosis.cause?.check == .server)
        #expect(verdicts(diagnosis)[.gap] == .unknown)
    }

    @Test func ofADeviceThatTheServiceHasForgotten() async throws {
        let manager = try await registered()
        let token = try SomeToken.apns(1)
        await world.set { $0.forget(token) }
        let diagnosis = await manager.diagnose(permission: .allowed, lastPush: nil)
        #expect(diagnosis.cause?.check == .registration)
        // Looking changes nothing.
        #expect(await manager.step() == .idle)
    }

    @Test func ofPushesThatDidNotArrive() async throws {
        let manager = try await registered()
        let gaps = GapTracker(manager: manager, state: nil) { _ in }
        _ = try await gaps.catchUp { _ in }
        let token = try SomeToken.apns(1)
        await world.set { world in
            for _ in 0..<150 { _ = world.service.push("transaction", to: token) }
        }
        let diagnosis = await manager.diagnose(permission: .allowed, lastPush: await world.time, gaps: gaps)
        #expect(diagnosis.cause?.check == .gap)
        #expect(diagnosis.cause?.sentence.contains("150 pushes") == true)
    }

    @Test func ofAWalletThatIsNotOnThePhone() async throws {
        let manager = try await registered()
        await world.set { $0.walletsOnPhone = [] }
        try await manager.want(.signedIn(try MachineScript.registration(alias: "two")))
        await world.settle(manager)
        let diagnosis = await manager.diagnose(permission: .allowed, lastPush: nil)
        #expect(diagnosis.cause?.check == .registration)
        #expect(await manager.progress.problem?.kind == .walletKeyMissing)
    }

    @Test func ofAnAppThatIsSignedOut() async throws {
        let manager = try await world.begin().manager()
        try await manager.want(.signedOut)
        let diagnosis = await manager.diagnose(permission: .allowed, lastPush: nil)
        #expect(diagnosis.cause?.check == .token)
    }
}
