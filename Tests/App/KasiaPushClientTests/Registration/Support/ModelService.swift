import KasiaPushCore

@testable import KasiaPushClient

/// The service's rules about registrations, in memory.
///
/// They are those of `DeviceRegistry`, `Authenticator`, `Nonces` and `RegistrationRateLimits`, in their order. Times are
/// the service's own, in milliseconds.
struct ModelService {
    /// `push.auth_mode`.
    enum Mode: CaseIterable { case legacy, mixed, strict }

    struct KeyUse: Equatable {
        var keyID: String
        var counter: UInt64

        func mayFollow(_ last: KeyUse?) -> Bool {
            guard let last, last.keyID == keyID else { return true }
            return counter > last.counter
        }
    }

    struct Device {
        /// Without `auth`.
        var request: RegistrationRequest
        var wallet: String?
        var key: KeyUse?
        var lastSeen: Int64
        /// What it was told, by number from 1, with the time.
        var log: [(sequence: UInt64, transaction: String, at: Int64)] = []
        var latest: UInt64 = 0
    }

    static let nonceLife: Int64 = 60_000
    static let holdTime: Int64 = 7 * 86_400_000
    static let logTime: Int64 = 7 * 86_400_000
    static let logCount = 1_000
    static let devicesPerWallet = 20

    var mode = Mode.mixed
    var devices: [PushToken: Device] = [:]
    /// Whether it takes no new devices.
    var isFull = false
    var now: Int64
    var nonces: [String: Int64] = [:]
    var usedNonces: Set<String> = []
    private var nonceCount = 0
    private var held: [PushToken: (wallet: String, at: Int64)] = [:]
    var allowances = Allowances()

    init(now: Int64) {
        self.now = now
    }

    // MARK: Calls

    mutating func challenge() throws(IndexerError) -> PushChallenge {
        try allowances.take("challenges", perMinute: 600, now: now)
        nonceCount += 1
        let digits = String(nonceCount, radix: 16)
        let nonce = String(repeating: "0", count: 32 - digits.count) + digits
        nonces[nonce] = now + ModelService.nonceLife
        return PushChallenge(nonce: nonce, issuedAt: now, expiresAt: now + ModelService.nonceLife)
    }

    mutating func register(_ request: RegistrationRequest) throws(IndexerError) {
        try allowances.take("attempts", perMinute: 600, now: now)
        try countingUnproven(request.auth) { service throws(IndexerError) in try service.upsert(request) }
    }

    mutating func unregister(_ token: PushToken, _ auth: RequestAuthorization?) throws(IndexerError) {
        try allowances.take("attempts", perMinute: 600, now: now)
        try countingUnproven(auth) { service throws(IndexerError) in try service.remove(token, auth) }
    }

    mutating func status(_ token: PushToken, _ auth: RequestAuthorization?) throws(IndexerError) -> RegistrationStatus {
        let reader = try reader(of: token, .status, auth)
        guard let device = devices[token] else { return RegistrationStatus() }
        var status = RegistrationStatus(
            isRegistered: true, watchedAddresses: device.request.watchedAddresses, lastSeen: device.lastSeen / 1_000)
        status.isBound = device.wallet != nil
        guard device.wallet == nil || device.wallet == reader else { return status }
        status.walletAddress = device.wallet
        status.apnsEnvironment = device.request.apnsEnvironment
        status.aliases = device.request.aliases
        return status
    }

    mutating func missed(
        _ token: PushToken, after: UInt64, _ auth: RequestAuthorization?
    ) throws(IndexerError) -> MissedPushes {
        _ = try reader(of: token, .missed, auth)
        guard let device = devices[token] else { throw .refusal(404, .notFound, "the device_token is not registered") }
        let kept = device.log.filter { $0.at >= now - ModelService.logTime }
        let items = kept.filter { $0.sequence > after }.prefix(100).map {
            MissedPush(
                sequence: $0.sequence, kind: .payment, transactionID: $0.transaction, sender: "",
                timestamp: UInt64($0.at))
        }
        return MissedPushes(items: items, latestSequence: device.latest, oldestSequence: kept.first?.sequence)
    }

    // MARK: What happens without a call

    /// Tells a device something; its number, or nil if it is not registered.
    mutating func push(_ transaction: String, to token: PushToken) -> UInt64? {
        guard var device = devices[token] else { return nil }
        device.latest += 1
        device.log.append((device.latest, transaction, now))
        if device.log.count > ModelService.logCount { device.log.removeFirst() }
        devices[token] = device
        return device.latest
    }

    // MARK: Rules

    private mutating func upsert(_ request: RegistrationRequest) throws(IndexerError) {
        let groups = request.watchedGroupIDs ?? []
        guard !request.watchedAddresses.isEmpty || !groups.isEmpty || request.primaryAddress != nil else {
            throw .refusal(400, .invalidRequest, "nothing to watch")
        }
        guard request.watchedAddresses.count <= 256 else {
            throw .refusal(400, .invalidRequest, "watched_addresses has too many entries")
        }
        var proof: (wallet: String, key: KeyUse?, nonce: String)?
        if let auth = request.auth {
            guard groups.isEmpty || request.capabilities.contains("group_v1") else {
                throw .refusal(400, .invalidRequest, "watched_group_ids require group_v1 among the capabilities")
            }
            guard !request.capabilities.contains("group_v1") || request.primaryAddress == auth.walletAddress else {
                throw .refusal(401, .wrongSignature, "primary_address must be auth.wallet_address for group messages")
            }
            proof = try prove(auth, .register, request.token, request.signedLists)
        } else {
            guard groups.isEmpty, request.capabilities.isEmpty, mode != .strict else {
                throw .refusal(401, .authRequired, "auth is required")
            }
        }
        let old = devices[request.token]
        if old == nil { try allowances.take("new devices", perMinute: 120, now: now) }
        if let proof { try use(proof.nonce) }
        if let bound = old?.wallet, bound != proof?.wallet {
            throw proof == nil
                ? .refusal(401, .authRequired, "auth is required for a wallet-bound device token")
                : .refusal(401, .boundElsewhere, "device token is bound to another wallet")
        }
        guard proof?.key?.mayFollow(old?.key) ?? true else { throw .staleCounter }
        if let proof, old?.wallet == nil, let held = held[request.token] {
            guard held.wallet == proof.wallet || now - held.at >= ModelService.holdTime else {
                throw .refusal(
                    401, .boundElsewhere,
                    "device token was bound to another wallet: for seven days only that wallet may bind it again")
            }
            self.held[request.token] = nil
        }
        guard old != nil || !isFull else {
            throw .refusal(503, .full, "the service has as many devices as it can take", retryAfter: .seconds(3_600))
        }
        var device = old ?? Device(request: request, lastSeen: now)
        device.request = request
        device.request.auth = nil
        if request.apnsEnvironment == nil { device.request.apnsEnvironment = old?.request.apnsEnvironment }
        device.lastSeen = now
        device.wallet = proof?.wallet ?? old?.wallet
        device.key = proof?.key ?? old?.key
        devices[request.token] = device
        if let wallet = device.wallet, old?.wallet != wallet { limitDevices(of: wallet) }
    }

    private mutating func remove(_ token: PushToken, _ auth: RequestAuthorization?) throws(IndexerError) {
        guard let auth else {
            guard mode != .strict else { throw .refusal(401, .authRequired, "auth is required") }
            guard devices[token]?.wallet == nil else {
                throw .refusal(401, .authRequired, "auth is required for a wallet-bound device token")
            }
            devices[token] = nil
            return
        }
        let proof = try proveRemoval(auth, token)
        try use(proof.nonce)
        guard let device = devices[token] else { return }
        if proof.wallet == nil || device.wallet != nil && device.wallet != proof.wallet {
            let anyKey = mode != .strict && device.wallet != nil
            guard let key = proof.key, device.key.map({ $0.keyID == key.keyID }) ?? anyKey else {
                throw proof.wallet == nil
                    ? .refusal(401, .wrongSignature, "auth.signature is not valid")
                    : .refusal(401, .boundElsewhere, "device token is bound to another wallet")
            }
            guard key.mayFollow(device.key) else { throw .staleCounter }
        }
        if let wallet = device.wallet, wallet != proof.wallet, device.key == nil { held[token] = (wallet, now) }
        devices[token] = nil
    }

    /// Devices seen least recently give way.
    private mutating func limitDevices(of wallet: String) {
        let own = devices.filter { $0.value.wallet == wallet }.sorted { $0.value.lastSeen > $1.value.lastSeen }
        for device in own.dropFirst(ModelService.devicesPerWallet) { devices[device.key] = nil }
    }

    mutating func use(_ nonce: String) throws(IndexerError) {
        guard usedNonces.insert(nonce).inserted else { throw .usedNonce }
    }

    /// What is unsigned or has no valid signature counts against the client's address.
    private mutating func countingUnproven(
        _ auth: RequestAuthorization?, _ body: (inout ModelService) throws(IndexerError) -> Void
    ) throws(IndexerError) {
        if auth == nil { try allowances.take("unproven", perMinute: 60, now: now) }
        do throws(IndexerError) {
            try body(&self)
        } catch {
            let isProven = [.boundElsewhere, .staleCounter, .tooManyRequests, .full].contains(error.code)
            if auth != nil, !isProven { try allowances.take("unproven", perMinute: 60, now: now) }
            throw error
        }
    }
}
