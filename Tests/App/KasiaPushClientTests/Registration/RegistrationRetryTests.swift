import KasiaPushCore
import Testing

@testable import KasiaPushClient

/// When a change is repeated.
@Suite struct RegistrationRetryTests {
    private var script = MachineScript()
    private let registration: DeviceRegistration
    private let register: RegistrationChange

    init() throws {
        registration = try MachineScript.registration()
        register = .register(registration.canonical)
        script.want(.signedIn(registration))
    }

    @Test mutating func aRefusedNonceIsReplacedOnceAtOnce() {
        for _ in 0..<2 {
            script.play(register, .nonceRefused(MachineScript.unavailable))
            script.play(register, .nonceRefused(MachineScript.unavailable))
            #expect(script.wait() >= 5_000)
        }
        script.play(register)
        #expect(script.next() == .idle)
    }

    @Test mutating func aRefusedCounterIsRaisedAtOnceSomeTimes() {
        for _ in 0...RegistrationMachine.counterRetries {
            script.play(register, .counterRefused(MachineScript.unavailable))
        }
        #expect(script.wait() == 5_000)
    }

    @Test(arguments: [(0.0, [5, 30, 120, 600, 3_600, 3_600]), (1.0, [7.5, 45, 180, 900, 5_400, 5_400])])
    mutating func pausesGrow(_ chance: Double, _ seconds: [Double]) {
        script.chance = chance
        for pause in seconds {
            script.play(register, MachineScript.noAnswer)
            #expect(script.wait() == Int64(pause * 1_000))
        }
        script.play(register)
        script.want(.signedOut)
        #expect(script.machine.state.pause == RetryPause())
    }

    @Test(
        arguments: [
            (Duration.seconds(1), 5_000), (.milliseconds(5_001), 5_001), (.seconds(3_600), 3_600_000),
            (.seconds(86_400), 86_400_000), (.seconds(86_401), 86_400_000), (.seconds(Int64.max), 86_400_000),
            (.seconds(-3), 5_000),
        ] as [(Duration, Int64)])
    mutating func theServiceMayAskForALongerPause(_ retryAfter: Duration, _ pause: Int64) {
        script.play(register, .notDone(MachineScript.unavailable, retryAfter: retryAfter))
        #expect(script.wait() == pause)
    }

    @Test mutating func theNetworkCutsAPauseShortUnlessTheServiceHasAskedForIt() {
        script.play(register, MachineScript.noAnswer)
        script.machine.networkReturned(now: script.now)
        script.play(register, .notDone(MachineScript.unavailable, retryAfter: .seconds(60)))
        script.machine.networkReturned(now: script.now)
        script.machine.retry(now: script.now)
        script.restart()
        #expect(script.wait() == 60_000)
    }

    @Test mutating func aRestartCutsAPauseShort() {
        script.play(register, MachineScript.noAnswer)
        script.restart()
        script.play(register)
    }

    @Test mutating func aNewWishDoesNotCutAPauseShort() throws {
        script.play(register, MachineScript.noAnswer)
        _ = script.machine.want(.signedIn(try MachineScript.registration(alias: "two")), now: script.now)
        #expect(script.wait() == 5_000)
    }

    @Test mutating func aRefusedChangeIsShownAndLeftAlone() throws {
        script.play(register, .refused(MachineScript.refused))
        script.machine.networkReturned(now: script.now)
        script.restart()
        #expect(script.machine.progress(now: script.now).problem == MachineScript.refused)
        #expect(script.next() == .wait(until: script.now + MachineScript.day))
        #expect(script.machine.next(now: script.now + MachineScript.day - 1) != .send(register))
        script.machine.retry(now: script.now)
        script.play(register, .refused(MachineScript.refused))
        let other = try MachineScript.registration(alias: "two")
        script.want(.signedIn(other))
        script.play(.register(other.canonical))
        #expect(script.machine.progress(now: script.now).problem == nil)
    }

    @Test mutating func aRefusalThatComesTooLateHoldsUpNothing() throws {
        script.machine.begin(register)
        let isSent = script.machine.send(now: script.now, nonce: nil)
        #expect(isSent)
        script.want(.signedOut)
        script.machine.finish(.refused(MachineScript.refused), now: script.now, chance: 0)
        script.play(try MachineScript.unregister(1, wallet: 1))
        #expect(script.next() == .idle)
    }

    @Test mutating func troubleWithOneTokenDoesNotKeepTheOthersWaiting() throws {
        script.play(register)
        let next = try MachineScript.registration(2)
        script.want(.signedIn(next))
        script.play(.register(next.canonical), MachineScript.noAnswer)
        #expect(script.wait() == 5_000)
        script.play(try MachineScript.unregister(1, wallet: 1))
        script.play(.register(next.canonical))
    }

    @Test mutating func aClockThatIsSetBackMakesNoPauseLonger() {
        script.play(register, .notDone(MachineScript.unavailable, retryAfter: .seconds(600)))
        script.now -= 365 * MachineScript.day
        #expect(script.wait() == 600_000)
        script.play(register, .refused(MachineScript.refused))
        script.now -= 365 * MachineScript.day
        #expect(script.wait() == MachineScript.day)
        script.play(register)
        _ = script.machine.want(.signedOut, now: script.now)
        script.now -= 365 * MachineScript.day
        #expect(script.wait() == 1_000)
    }
}
