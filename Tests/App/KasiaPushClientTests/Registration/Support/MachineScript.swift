import KasiaPushCore
import Testing

@testable import KasiaPushClient

/// Plays events to a machine.
struct MachineScript {
    var machine = RegistrationMachine(nil, now: 0)
    /// Milliseconds.
    var now: Int64 = 1_000_000
    var chance = 0.0
    /// What the service's clock says; nil if nothing is signed.
    var serviceTime: Int64?

    static let unavailable = RegistrationProblem(.unavailable, "There is no network.")
    static let refused = RegistrationProblem(.refused, "watched_addresses has too many entries", status: 400)
    static let elsewhere = RegistrationProblem(.boundElsewhere, "device token is bound to another wallet", status: 401)
    static let noAnswer = RegistrationOutcome.noAnswer(unavailable, retryAfter: nil)
    static let day: Int64 = 86_400_000

    /// Takes a wish, and waits until it may be acted upon.
    mutating func want(_ wanted: WantedRegistration) {
        _ = machine.want(wanted, now: now)
        now += RegistrationMachine.settlingTime
    }

    mutating func next() -> RegistrationStep { machine.next(now: now) }

    /// Sends the change that is next, which must be this one, and lets it end so.
    mutating func play(
        _ change: RegistrationChange, _ outcome: RegistrationOutcome = .done,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(next() == .send(change), sourceLocation: sourceLocation)
        machine.begin(change)
        let nonce = serviceTime.map { NonceLife(issuedAt: $0, expiresAt: $0 + 60_000) }
        let isSent = machine.send(now: now, nonce: nonce)
        #expect(isSent, sourceLocation: sourceLocation)
        machine.finish(outcome, now: now, chance: chance)
    }

    /// Waits until something is next.
    mutating func wait(sourceLocation: SourceLocation = #_sourceLocation) -> Int64 {
        guard case .wait(let time) = next() else {
            Issue.record("nothing to wait for", sourceLocation: sourceLocation)
            return 0
        }
        let length = time - now
        now = time
        return length
    }

    /// The process ends, and another goes on from what was stored.
    mutating func restart() { machine = RegistrationMachine(machine.state, now: now) }

    /// A registration of numbered token and wallet; nil: it is not signed.
    static func registration(_ token: Int = 1, wallet: Int? = 1, alias: String = "one") throws -> DeviceRegistration {
        var registration = DeviceRegistration(
            token: try SomeToken.apns(token), platform: .ios, walletAddress: wallet.map { FakeWalletKey($0).address })
        registration.primaryAddress = registration.walletAddress
        registration.watchedAddresses = [FakeWalletKey(9).address]
        registration.aliases = [alias]
        return registration
    }

    static func unregister(_ token: Int, wallet: Int?) throws -> RegistrationChange {
        .unregister(try SomeToken.apns(token), wallet: wallet.map { FakeWalletKey($0).address })
    }
}
