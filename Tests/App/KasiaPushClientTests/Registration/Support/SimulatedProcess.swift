import KasiaPushCore

@testable import KasiaPushClient

/// One process of the app: what its manager is made with.
struct SimulatedProcess: RegistrationCalls, RegistrationKeys {
    let world: SimulatedWorld
    let life: Int
    let clock: SimulatedClock

    /// Whether it has not ended.
    var isAlive: Bool { get async { await world.life == life } }

    /// A manager that goes on from what is stored, and never sleeps by itself.
    func manager() async throws -> RegistrationManager {
        RegistrationManager(
            calls: self, keys: self, state: try await world.storedState(), environment: clock.environment
        ) { try await world.store($0, life) }
    }

    // MARK: Calls

    func challenge() async throws(IndexerError) -> PushChallenge { try await world.challenge(life) }

    func register(_ request: RegistrationRequest) async throws(IndexerError) -> RegistrationAnswer {
        try await world.register(request, life)
        return RegistrationAnswer()
    }

    func update(_ request: RegistrationRequest) async throws(IndexerError) -> RegistrationAnswer {
        try await register(request)
    }

    func unregister(_ token: PushToken, auth: RequestAuthorization?) async throws(IndexerError) {
        try await world.unregister(token, auth, life)
    }

    func status(of token: PushToken, auth: RequestAuthorization?) async throws(IndexerError) -> RegistrationStatus {
        try await world.status(token, auth, life)
    }

    func missed(
        of token: PushToken, after: UInt64?, limit: Int?, auth: RequestAuthorization?
    ) async throws(IndexerError) -> MissedPushes {
        try await world.missed(token, after ?? 0, auth, life)
    }

    func health() async throws(IndexerError) {}

    func ready() async throws(IndexerError) -> Readiness { try await world.ready(life) }

    // MARK: Keys

    func walletKey(for address: String) async throws -> (any WalletKey)? {
        try await world.walletKey(for: address, life)
    }

    func deviceKey() async throws -> (any DeviceKey)? { try await world.device(life) }

    func deviceKeyCounter() async throws -> UInt64 { await world.counter }

    func storeDeviceKeyCounter(_ counter: UInt64) async throws { try await world.store(counter: counter, life) }
}
