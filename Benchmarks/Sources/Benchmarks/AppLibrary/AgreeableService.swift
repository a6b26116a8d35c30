import KasiaPushClient
import KasiaPushCore
import KasiaPushSecp256k1
import Synchronization

/// A clock that goes on by as much as somebody wants to sleep.
final class RunningClock: Sendable {
    private let milliseconds = Atomic<Int64>(1_800_000_000_000)

    var now: Int64 { milliseconds.load(ordering: .relaxed) }

    var environment: RegistrationEnvironment {
        RegistrationEnvironment(
            now: { self.now },
            sleep: { duration in
                guard duration < .seconds(3_600) else {
                    // Nothing is to be done: the next wish wakes.
                    try? await Task.sleep(for: duration)
                    return
                }
                let time = duration.components
                self.milliseconds.add(
                    time.seconds * 1_000 + time.attoseconds / 1_000_000_000_000_000, ordering: .relaxed)
            },
            chance: { 0.5 })
    }
}

/// A service that agrees to everything at once.
struct AgreeableService: RegistrationCalls {
    let clock: RunningClock

    func challenge() async throws(IndexerError) -> PushChallenge {
        PushChallenge(nonce: String(repeating: "a0", count: 16), issuedAt: clock.now, expiresAt: clock.now + 60_000)
    }

    func register(_ request: RegistrationRequest) async throws(IndexerError) -> RegistrationAnswer {
        RegistrationAnswer()
    }

    func update(_ request: RegistrationRequest) async throws(IndexerError) -> RegistrationAnswer {
        RegistrationAnswer()
    }

    func unregister(_ token: PushToken, auth: RequestAuthorization?) async throws(IndexerError) {}

    func status(of token: PushToken, auth: RequestAuthorization?) async throws(IndexerError) -> RegistrationStatus {
        preconditionFailure("a registration does not ask for its status")
    }

    func missed(
        of token: PushToken, after: UInt64?, limit: Int?, auth: RequestAuthorization?
    ) async throws(IndexerError) -> MissedPushes {
        MissedPushes(items: [], latestSequence: 0, oldestSequence: nil)
    }

    func health() async throws(IndexerError) {}

    func ready() async throws(IndexerError) -> Readiness {
        preconditionFailure("a registration does not ask whether the service is ready")
    }
}

/// Keys as a key chain has them.
final class KeysInMemory: RegistrationKeys {
    private let address: String
    private let wallet: Secp256k1WalletKey
    private let device: SoftwareDeviceKey
    private let counter = Atomic<UInt64>(0)

    init(address: String, wallet: Secp256k1WalletKey, device: SoftwareDeviceKey) {
        self.address = address
        self.wallet = wallet
        self.device = device
    }

    func walletKey(for address: String) async throws -> (any WalletKey)? { address == self.address ? wallet : nil }

    func deviceKey() async throws -> (any DeviceKey)? { device }

    func deviceKeyCounter() async throws -> UInt64 { counter.load(ordering: .relaxed) }

    func storeDeviceKeyCounter(_ counter: UInt64) async throws { self.counter.store(counter, ordering: .relaxed) }
}
