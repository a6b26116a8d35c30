import Foundation
import KasiaPushCore
import Testing

@testable import KasiaPushClient

/// What follows when nobody knows whether the service has done it, or whether it still will.
@Suite struct UnansweredChangeTests {
    private var script = MachineScript()
    private let first: DeviceRegistration
    private let second: DeviceRegistration
    private let unregister: RegistrationChange

    init() throws {
        first = try MachineScript.registration(alias: "one")
        second = try MachineScript.registration(alias: "two")
        unregister = try MachineScript.unregister(1, wallet: 1)
        script.want(.signedIn(first))
    }

    @Test mutating func aChangeWithoutAnAnswerIsRepeated() {
        script.play(.register(first.canonical), MachineScript.noAnswer)
        script.now += 5_000
        script.play(.register(first.canonical))
        // It does no harm if the first one comes now: it says the same.
        #expect(script.next() == .idle)
    }

    @Test mutating func aKillBeforeTheAnswerCountsAsNone() throws {
        script.machine.begin(.register(first.canonical))
        let isSent = script.machine.send(now: script.now, nonce: nil)
        #expect(isSent)
        let stored = try JSONDecoder().decode(
            RegistrationState.self, from: JSONEncoder().encode(script.machine.state))
        script.machine = RegistrationMachine(stored, now: script.now)
        script.want(.signedOut)
        script.play(unregister)
    }

    @Test mutating func afterAKillNothingIsTakenForAcknowledged() {
        script.play(.register(first.canonical))
        script.want(.signedIn(second))
        script.machine.begin(.register(second.canonical))
        let isSent = script.machine.send(now: script.now, nonce: nil)
        #expect(isSent)
        script.restart()
        script.want(.signedIn(first))
        script.play(.register(first.canonical))
    }

    @Test mutating func aSignOutIsRepeatedOnceARegistrationThatMayComeLateCannotComeAnyMore() {
        script.play(.register(first.canonical), MachineScript.noAnswer)
        let sent = script.now
        script.want(.signedOut)
        script.now += 5_000
        script.play(unregister)
        #expect(script.machine.progress(now: script.now).isInEffect)
        #expect(script.machine.progress(now: script.now).pendingUnregisters == 0)
        #expect(script.next() == .wait(until: sent + SentChange.lateTime))
        script.restart()
        script.now = sent + SentChange.lateTime - 1
        #expect(script.wait() == 1)
        script.play(unregister)
        #expect(script.next() == .idle)
        #expect(script.machine.state.tokens.isEmpty)
    }

    @Test mutating func aSignOutThatIsSentAfterThatTimeIsNotRepeated() {
        script.play(.register(first.canonical), MachineScript.noAnswer)
        script.want(.signedOut)
        script.now += SentChange.lateTime
        script.play(unregister)
        #expect(script.next() == .idle)
    }

    @Test mutating func aRegistrationIsRepeatedAfterASignOutThatMayComeLate() {
        script.play(.register(first.canonical))
        script.want(.signedOut)
        script.play(unregister, MachineScript.noAnswer)
        let sent = script.now
        script.want(.signedIn(first))
        script.now += 5_000
        script.play(.register(first.canonical))
        let numbering = script.machine.numbering
        script.now = sent + SentChange.lateTime
        script.play(.register(first.canonical))
        #expect(script.next() == .idle)
        // Its pushes may be numbered from 1 again.
        #expect(script.machine.numbering != numbering)
    }

    @Test mutating func aSignOutThatMayComeLateIsNotForgottenWhenItsRepeatIsDone() throws {
        script.serviceTime = 0
        script.play(.register(first.canonical))
        script.want(.signedOut)
        script.play(unregister, MachineScript.noAnswer)
        script.now += 5_000
        script.play(unregister)
        #expect(script.machine.progress(now: script.now).isInEffect)
        script.want(.signedIn(first))
        script.serviceTime = 7_000
        script.play(.register(first.canonical))
        #expect(script.wait() == SentChange.lateTime - 6_000)
        script.serviceTime = 70_000
        script.play(.register(first.canonical))
        #expect(script.next() == .idle)
        // After the next change of any token nothing is left of it.
        script.want(.signedOut)
        script.play(unregister)
        #expect(script.machine.state.tokens.isEmpty)
    }

    @Test mutating func aRegistrationIsRepeatedAfterAnotherOneThatMayComeLate() {
        script.play(.register(first.canonical), MachineScript.noAnswer)
        script.want(.signedIn(second))
        script.now += 5_000
        script.play(.register(second.canonical))
        #expect(script.wait() > 0)
        script.play(.register(second.canonical))
        #expect(script.next() == .idle)
    }

    @Test mutating func aClockThatIsSetBackMakesTheLateTimeNoLonger() {
        script.play(.register(first.canonical), MachineScript.noAnswer)
        script.want(.signedOut)
        script.now += 5_000
        script.play(unregister)
        script.now -= MachineScript.day
        #expect(script.wait() == SentChange.lateTime)
    }

    /// Without a nonce only the phone's clock says how long ago a request was sent.
    @Test mutating func afterAClockIsSetBackWhatIsAcknowledgedIsSentOnceMore() {
        script.play(.register(first.canonical), MachineScript.noAnswer)
        script.now += 5_000
        script.play(.register(first.canonical))
        script.now -= MachineScript.day
        script.want(.signedIn(second))
        script.play(.register(second.canonical))
        #expect(script.wait() == SentChange.lateTime)
        script.play(.register(second.canonical))
        #expect(script.next() == .idle)
    }

    // MARK: The service's clock

    @Test mutating func aClockThatIsSetForwardEndsTheLateTimeNoSooner() {
        script.serviceTime = 0
        script.play(.register(first.canonical), MachineScript.noAnswer)
        script.want(.signedOut)
        script.now += MachineScript.day
        script.serviceTime = 5_000
        script.play(unregister)
        #expect(script.machine.progress(now: script.now).isInEffect)
        // A minute of the nonce and ten seconds for a slow service, of which five have passed.
        #expect(script.wait() == 65_000)
        script.serviceTime = 70_000
        script.play(unregister)
        #expect(script.next() == .idle)
    }

    @Test mutating func aClockThatIsSlowDoesNotMakeTheLateTimeLonger() {
        script.serviceTime = 0
        script.play(.register(first.canonical), MachineScript.noAnswer)
        script.want(.signedOut)
        script.now += 5_000
        script.serviceTime = 70_000
        script.play(unregister)
        #expect(script.next() == .idle)
    }

    @Test mutating func aServiceWhoseClockStandsStillIsNotAskedForEver() {
        script.serviceTime = 0
        script.play(.register(first.canonical), MachineScript.noAnswer)
        script.want(.signedOut)
        script.now += SentChange.lateTime
        for _ in 0..<SentChange.maximumRepeats {
            script.play(unregister)
            #expect(script.wait() == SentChange.lateTime)
        }
        script.play(unregister)
        #expect(script.next() == .idle)
    }

    @Test(
        arguments: [
            (0, 60_000, 60_000), (0, 120_001, 120_000), (5, 4, 5), (-1, .min, 0), (.max, .max, 1 << 52 + 120_000),
        ] as [(Int64, Int64, Int64)])
    func aNonceIsBelievedToLiveForTwoMinutesAtMost(_ issuedAt: Int64, _ expiresAt: Int64, _ end: Int64) {
        #expect(NonceLife(issuedAt: issuedAt, expiresAt: expiresAt).expiresAt == end)
    }

    @Test mutating func afterARefusedNonceNobodyKnowsEither() {
        script.play(.register(first.canonical))
        script.want(.signedIn(second))
        script.play(.register(second.canonical), .nonceRefused(MachineScript.unavailable))
        script.want(.signedIn(first))
        script.play(.register(first.canonical))
    }

    // MARK: Numbers of pushes

    @Test mutating func theNumbersGoOnWithAnotherRegistrationOfTheSameToken() {
        #expect(script.machine.numbering == nil)
        script.play(.register(first.canonical))
        let numbering = script.machine.numbering
        #expect(numbering == PushNumbering(tokenHash: first.token.hash, registration: 1))
        script.want(.signedIn(second))
        script.play(.register(second.canonical), MachineScript.noAnswer)
        #expect(script.machine.numbering == nil)
        script.now += 5_000
        script.play(.register(second.canonical))
        #expect(script.machine.numbering == numbering)
    }

    @Test mutating func theNumbersBeginAnewAfterASignOutAndWhenTheTokenWasGone() {
        script.play(.register(first.canonical))
        script.want(.signedOut)
        script.play(unregister)
        #expect(script.machine.numbering == nil)
        script.want(.signedIn(first))
        script.play(.register(first.canonical))
        #expect(script.machine.numbering?.registration == 2)
        script.machine.registrationIsGone(first.token)
        script.play(.register(first.canonical))
        #expect(script.machine.numbering?.registration == 3)
    }
}
