import Foundation
import KasiaPushCore
import Testing

@testable import KasiaPushClient

/// What is sent, and when.
@Suite struct RegistrationMachineTests {
    private var script = MachineScript()
    private let first: DeviceRegistration
    private let second: DeviceRegistration

    init() throws {
        first = try MachineScript.registration(alias: "one")
        second = try MachineScript.registration(alias: "two")
    }

    @Test mutating func nothingIsSentBeforeTheAppWantsSomething() {
        #expect(script.next() == .idle)
        script.want(.signedOut)
        #expect(script.next() == .idle)
    }

    @Test mutating func aWishIsSentOneSecondAfterTheLast() {
        let begin = script.now
        _ = script.machine.want(.signedIn(first), now: begin)
        #expect(script.machine.next(now: begin + 999) == .wait(until: begin + 1_000))
        _ = script.machine.want(.signedIn(second), now: begin + 999)
        #expect(script.machine.next(now: begin + 1_998) == .wait(until: begin + 1_999))
        #expect(script.machine.next(now: begin + 1_999) == .send(.register(second.canonical)))
    }

    @Test mutating func theSameWishInOtherWordsIsNotANewOne() {
        script.want(.signedIn(first))
        script.play(.register(first.canonical))
        var same = first
        same.watchedAddresses = first.watchedAddresses.map { " " + $0.uppercased() } + first.watchedAddresses + [" "]
        same.hiddenSenders = [:]
        let isNew = script.machine.want(.signedIn(same), now: script.now)
        #expect(!isNew)
        #expect(script.next() == .idle)
    }

    @Test mutating func whatIsAcknowledgedIsNotSentAgain() {
        script.want(.signedIn(first))
        script.play(.register(first.canonical))
        _ = script.machine.want(.signedIn(second), now: script.now)
        script.want(.signedIn(first))
        #expect(script.next() == .idle)
        script.restart()
        #expect(script.next() == .idle)
    }

    @Test mutating func aRefusedChangeLeavesWhatIsAcknowledged() {
        script.want(.signedIn(first))
        script.play(.register(first.canonical))
        script.want(.signedIn(second))
        script.play(.register(second.canonical), .refused(MachineScript.refused))
        script.want(.signedIn(first))
        #expect(script.next() == .idle)
    }

    @Test mutating func onlyOneChangeIsInFlight() {
        script.want(.signedIn(first))
        script.machine.begin(.register(first.canonical))
        #expect(script.next() == .idle)
        script.want(.signedOut)
        #expect(script.next() == .idle)
    }

    @Test mutating func whatIsNoLongerWantedIsNotSent() {
        script.want(.signedIn(first))
        script.machine.begin(.register(first.canonical))
        script.want(.signedIn(second))
        let isSent = script.machine.send(now: script.now, nonce: nil)
        #expect(!isSent)
        script.machine.finish(.abandoned, now: script.now, chance: 0)
        script.play(.register(second.canonical))
    }

    @Test mutating func aSignInThatWasNeverSentNeedsNoSignOut() {
        script.want(.signedIn(first))
        script.machine.begin(.register(first.canonical))
        // The challenge failed.
        script.machine.finish(MachineScript.noAnswer, now: script.now, chance: 0)
        script.want(.signedOut)
        #expect(script.next() == .idle)
        #expect(script.machine.state.tokens.isEmpty)
    }

    @Test mutating func aSignInThatWasRefusedNeedsASignOutSinceAFormerInstallationMayHaveSignedIn() throws {
        script.want(.signedIn(first))
        script.play(.register(first.canonical), .refused(MachineScript.refused))
        script.want(.signedOut)
        script.play(try MachineScript.unregister(1, wallet: 1))
        #expect(script.next() == .idle)
    }

    // MARK: Tokens and wallets

    @Test mutating func anotherTokenIsRegisteredAndTheOldOneUnregistered() throws {
        script.want(.signedIn(first))
        script.play(.register(first.canonical))
        let next = try MachineScript.registration(2)
        script.want(.signedIn(next))
        script.play(.register(next.canonical))
        script.play(try MachineScript.unregister(1, wallet: 1))
        #expect(script.next() == .idle)
        #expect(script.machine.state.tokens.map(\.token) == [next.token])
    }

    @Test mutating func anOldTokenThatStaysHoldsUpNothing() throws {
        script.want(.signedIn(first))
        script.play(.register(first.canonical))
        script.want(.signedIn(try MachineScript.registration(2)))
        script.play(.register(try MachineScript.registration(2).canonical))
        script.play(try MachineScript.unregister(1, wallet: 1), .refused(MachineScript.refused))
        let changed = try MachineScript.registration(2, alias: "two")
        script.want(.signedIn(changed))
        script.play(.register(changed.canonical))
        #expect(script.wait() == MachineScript.day - RegistrationMachine.settlingTime)
        script.play(try MachineScript.unregister(1, wallet: 1))
        #expect(script.next() == .idle)
    }

    @Test mutating func anotherWalletGetsATokenThatIsFreedFirst() throws {
        script.want(.signedIn(first))
        script.play(.register(first.canonical))
        let other = try MachineScript.registration(wallet: 2)
        script.want(.signedIn(other))
        script.play(try MachineScript.unregister(1, wallet: 1))
        script.play(.register(other.canonical))
        #expect(script.next() == .idle)
    }

    @Test mutating func aTokenThatCannotBeFreedIsRegisteredAllTheSame() throws {
        script.want(.signedIn(first))
        script.play(.register(first.canonical))
        let other = try MachineScript.registration(wallet: 2)
        script.want(.signedIn(other))
        script.play(try MachineScript.unregister(1, wallet: 1), .boundElsewhere(MachineScript.elsewhere))
        script.play(.register(other.canonical))
        #expect(script.next() == .idle)
    }

    @Test mutating func aTokenOfAnUnknownWalletIsFreedTwiceAndThenRefused() throws {
        script.want(.signedIn(first))
        for _ in 0..<RegistrationMachine.maximumReleases {
            script.play(.register(first.canonical), .boundElsewhere(MachineScript.elsewhere))
            script.play(try MachineScript.unregister(1, wallet: 1))
        }
        script.play(.register(first.canonical), .boundElsewhere(MachineScript.elsewhere))
        #expect(script.machine.progress(now: script.now).problem == MachineScript.elsewhere)
        #expect(script.wait() == MachineScript.day)
        script.play(.register(first.canonical))
        #expect(script.machine.progress(now: script.now).problem == nil)
    }

    @Test mutating func aTokenOfAnUnknownWalletThatIsNotFreedIsRefused() throws {
        script.want(.signedIn(first))
        script.play(.register(first.canonical), .boundElsewhere(MachineScript.elsewhere))
        script.play(try MachineScript.unregister(1, wallet: 1), .refused(MachineScript.refused))
        script.play(.register(first.canonical), .boundElsewhere(MachineScript.elsewhere))
        #expect(script.wait() == MachineScript.day)
    }

    @Test mutating func aSignedRegistrationNeedsNoReleaseOfAnUnsignedOne() throws {
        let unsigned = try MachineScript.registration(wallet: nil)
        script.want(.signedIn(unsigned))
        script.play(.register(unsigned.canonical))
        script.want(.signedIn(first))
        script.play(.register(first.canonical))
        script.want(.signedIn(unsigned))
        script.play(try MachineScript.unregister(1, wallet: 1))
        script.play(.register(unsigned.canonical))
        script.want(.signedOut)
        script.play(try MachineScript.unregister(1, wallet: nil))
        #expect(script.next() == .idle)
    }

    @Test mutating func aTokenThatIsGoneIsRegisteredAgain() throws {
        script.want(.signedIn(first))
        script.play(.register(first.canonical))
        script.machine.registrationIsGone(try SomeToken.apns(2))
        #expect(script.next() == .idle)
        script.machine.registrationIsGone(first.token)
        script.play(.register(first.canonical))
        #expect(script.next() == .idle)
    }

    // MARK: Sign-outs

    @Test mutating func aSignOutIsKeptOverRestartsUntilItIsDone() throws {
        script.want(.signedIn(first))
        script.play(.register(first.canonical))
        script.want(.signedOut)
        for outcome in [
            MachineScript.noAnswer, .notDone(MachineScript.unavailable, retryAfter: .seconds(10)),
            .nonceRefused(MachineScript.unavailable), .refused(MachineScript.refused),
            .boundElsewhere(MachineScript.elsewhere), .counterRefused(MachineScript.unavailable),
        ] {
            script.play(try MachineScript.unregister(1, wallet: 1), outcome)
            script.restart()
            #expect(script.machine.progress(now: script.now).pendingUnregisters == 1)
            #expect(!script.machine.progress(now: script.now).isInEffect)
            script.now += MachineScript.day
        }
        script.play(try MachineScript.unregister(1, wallet: 1))
        #expect(script.machine.progress(now: script.now).isInEffect)
        script.restart()
        #expect(script.next() == .idle)
    }

    @Test mutating func aSignOutIsKeptWhenAnotherTokenSignsIn() throws {
        script.want(.signedIn(first))
        script.play(.register(first.canonical))
        script.want(.signedOut)
        script.play(try MachineScript.unregister(1, wallet: 1), MachineScript.noAnswer)
        let next = try MachineScript.registration(2, wallet: 2)
        script.want(.signedIn(next))
        script.now += 5_000
        script.play(.register(next.canonical))
        script.play(try MachineScript.unregister(1, wallet: 1))
        #expect(script.next() == .idle)
    }

    @Test mutating func aSignOutIsNotRepeatedOnceItsTokenIsWantedAgain() throws {
        script.want(.signedIn(first))
        script.play(.register(first.canonical))
        script.want(.signedOut)
        script.play(try MachineScript.unregister(1, wallet: 1), .refused(MachineScript.refused))
        script.want(.signedIn(second))
        script.play(.register(second.canonical))
        #expect(script.next() == .idle)
    }

    @Test mutating func aSignOutTriesEachWalletThatMayHaveTheToken() throws {
        script.want(.signedIn(first))
        script.play(.register(first.canonical))
        let other = try MachineScript.registration(wallet: 2)
        script.want(.signedIn(other))
        script.play(try MachineScript.unregister(1, wallet: 1), .refused(MachineScript.refused))
        script.play(.register(other.canonical), MachineScript.noAnswer)
        script.want(.signedOut)
        script.now += MachineScript.day
        script.play(try MachineScript.unregister(1, wallet: 2), .boundElsewhere(MachineScript.elsewhere))
        script.now += MachineScript.day
        script.play(try MachineScript.unregister(1, wallet: 1))
        #expect(script.next() == .idle)
    }

    @Test(arguments: [-1, 0, 1])
    mutating func tokensAreKeptUpToTheLimit(_ more: Int) throws {
        let limit = RegistrationState.maximumTokens
        let count = limit + more
        for number in 1...count {
            let registration = try MachineScript.registration(number)
            script.want(.signedIn(registration))
            script.play(.register(registration.canonical))
            // Each old token is left for a day.
            script.now += 60_000
            guard number < count, case .send(let change) = script.next() else { continue }
            script.play(change, .refused(MachineScript.refused))
        }
        #expect(script.machine.state.tokens.count == min(count, limit))
        #expect(script.machine.state.tokens.first?.token == (try SomeToken.apns(count)))
    }
}
