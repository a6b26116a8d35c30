public import Kaspa

/// What a caller decides about a device, inside the batch that writes it.
public enum DeviceDecision<Refusal: Sendable>: Sendable {
    case put(DeviceRecord)
    case remove
    /// The same, and the token's hash remembers for a week whose it was.
    case release(at: UInt64)
    /// Nothing is written.
    case refuse(Refusal)
}

/// What came of a decision.
public enum DeviceOutcome<Refusal: Sendable>: Sendable {
    /// The registration was written; gone are the devices of its wallet that were one too many, and, where there were
    /// as many devices as there may be, one on probation.
    case put(removed: [RemovedDevice], evicted: RemovedDevice?)
    /// Nil: the device was not registered.
    case removed(RemovedDevice?)
    case refused(Refusal)
    /// Another request with this nonce came first; nothing is written.
    case usedNonce
    /// The token was another wallet's until lately (`ReleasedBinding`); nothing is written.
    case heldForAnother
    /// There are as many devices as there may be, and none gives way; nothing is written.
    case full
}

/// A device that left the registry.
public struct RemovedDevice: Hashable, Sendable {
    /// Its name in the store; its token is gone.
    public var id: DeviceID
    /// How many waiting deliveries went with it.
    public var deliveries: Int
}

/// Who may change a device: the wallet that it is bound to (`deploy/SECURITY.md`).
extension Registry {
    /// How many devices a wallet may have; the one seen least recently gives way to a new one.
    public static let devicesPerWallet = 20

    /// Decides about a device and writes the decision in one batch; not durable before `sync()`.
    ///
    /// `decide` gets the present registration, nil if there is none. No other change comes between what it sees and
    /// what is written. Every decision, a refusal too, uses up the `nonce` of a signed request in the same batch.
    public func changeDevice<Refusal: Sendable>(
        _ id: DeviceID, using nonce: NonceUse? = nil,
        _ decide: @escaping @Sendable (DeviceRecord?) -> DeviceDecision<Refusal>
    ) async throws(StoreError) -> DeviceOutcome<Refusal> {
        let (network, backend, limits) = (network, backend, limits)
        // Weak: the backend may keep this closure for a while (`StoreBackend.write`).
        return try await write { [weak backend] (transaction) throws(StoreError) in
            try transaction.willRead {
                var ahead = RowsAhead()
                ahead.add(.devices, [id.bytes])
                ahead.add(.releasedBindings, [ReleasedBinding.key(id)])
                ahead.addStates(of: [id])
                if let nonce { ahead.add(.usedNonces, [nonce.key]) }
                return ahead
            }
            if let nonce, try !transaction.use(nonce) { return .usedNonce }
            let old = try transaction.device(id, network: network)
            switch decide(old) {
            case .put(let record):
                try backend?.check(.registration)
                guard try transaction.mayBind(record, replacing: old, network: network) else { return .heldForAnother }
                var evicted: RemovedDevice?
                if old == nil, try !transaction.hasRoomForDevice(limits) {
                    evicted = try transaction.makeRoom(for: record, network: network)
                    guard evicted != nil else { return .full }
                }
                let removed = try transaction.putDevice(record, replacing: old, network: network)
                return .put(removed: removed, evicted: evicted)
            case .remove:
                let deliveries = try transaction.removeDevice(id, network: network)
                return .removed(deliveries.map { RemovedDevice(id: id, deliveries: $0) })
            case .release(let time):
                let deliveries = try transaction.removeDevice(id, network: network)
                if let wallet = old?.walletAddress {
                    try transaction.release(id, from: wallet, at: time, network: network)
                }
                return .removed(deliveries.map { RemovedDevice(id: id, deliveries: $0) })
            case .refuse(let refusal):
                return .refused(refusal)
            }
        }
    }

    /// The devices bound to a wallet, at most `devicesPerWallet`, in no order that means anything.
    public func devices(ofWallet wallet: Address) async throws(StoreError) -> [DeviceRecord] {
        try await read { () throws(StoreError) -> [DeviceRecord] in
            try database.snapshot().devices(ofWallet: wallet, network: network)
        }
    }

    /// Removes every device of a wallet in one batch; not durable before `sync()`.
    ///
    /// nil, and nothing is done, when the nonce of the signed request was used before.
    public func removeDevices(
        ofWallet wallet: Address, using nonce: NonceUse? = nil
    ) async throws(StoreError) -> [RemovedDevice]? {
        let network = network
        return try await write { (transaction) throws(StoreError) in
            if let nonce, try !transaction.use(nonce) { return nil }
            var removed: [RemovedDevice] = []
            for device in try transaction.devices(ofWallet: wallet, network: network) {
                guard let deliveries = try transaction.removeDevice(device.id, network: network) else { continue }
                removed.append(RemovedDevice(id: device.id, deliveries: deliveries))
            }
            return removed
        }
    }

    /// Notes the use of a device key for a registration that it has signed before; others are left alone.
    ///
    /// False, and nothing is written, when its counter has not grown there.
    public func noteUse(of use: DeviceKeyUse, for id: DeviceID) async throws(StoreError) -> Bool {
        let network = network
        return try await write { (transaction) throws(StoreError) in
            guard var device = try transaction.device(id, network: network), device.deviceKey?.keyID == use.keyID
            else { return true }
            guard use.mayFollow(device.deviceKey) else { return false }
            device.deviceKey = use
            transaction.put(.devices, id.bytes, device.encoded)
            return true
        }
    }

    /// Keeps that a token has proved to be good at an environment, unless its app says which it is.
    public func noteEnvironment(
        _ environment: DeviceRecord.Environment, of id: DeviceID
    ) async throws(StoreError) {
        let network = network
        try await write { (transaction) throws(StoreError) in
            try transaction.noteEnvironment(environment, of: id, network: network)
        }
    }

    /// Forgets a token for ringing that Apple calls dead; the device stays, and another token that it has by now, too.
    public func forgetVoIPToken(_ token: [UInt8], of id: DeviceID) async throws(StoreError) {
        let network = network
        try await write { (transaction) throws(StoreError) in
            guard var device = try transaction.device(id, network: network), device.voipToken == token else { return }
            device.voipToken = []
            transaction.put(.devices, id.bytes, device.encoded)
        }
    }
}

extension StoreReading {
    func devices(ofWallet wallet: Address, network: Network) throws(StoreError) -> [DeviceRecord] {
        let prefix = wallet.storageKey
        let ids = try list(
            .walletDevices, from: prefix, below: KeyBytes.successor(ofPrefix: prefix), limit: .max
        ) { (row) throws(StoreError) in DeviceID(bytes: Array(row.key.dropFirst(prefix.count))) }
        try willRead {
            var ahead = RowsAhead()
            ahead.add(.devices, ids.lazy.map(\.bytes))
            return ahead
        }
        var devices: [DeviceRecord] = []
        for id in ids {
            guard let device = try device(id, network: network), device.walletAddress == wallet else {
                throw ByteReader.corrupt("wallet index")
            }
            devices.append(device)
        }
        return devices
    }
}

extension WriteTransaction {
    /// Whether one more device may be registered: the only place that checks the limit.
    func hasRoomForDevice(_ limits: StoreLimits) throws(StoreError) -> Bool {
        try value(of: .devices) < limits.devices
    }

    /// Removes a device on probation in favour of a new one; nil if none was found that can give way.
    fileprivate func makeRoom(for record: DeviceRecord, network: Network) throws(StoreError) -> RemovedDevice? {
        // A token's hash is as good as a random place to look from.
        let found = try deviceToEvict(near: record.id, now: record.lastSeen, network: network)
        guard let found, let deliveries = try removeDevice(found, network: network) else { return nil }
        return RemovedDevice(id: found, deliveries: deliveries)
    }

    /// Updates the wallet index; returns the devices that gave way.
    func changeOwnership(
        of id: DeviceID, from old: DeviceRecord?, to new: DeviceRecord?, network: Network
    ) throws(StoreError) -> [RemovedDevice] {
        guard old?.walletAddress != new?.walletAddress else { return [] }
        if let wallet = old?.walletAddress { delete(.walletDevices, wallet.storageKey + id.bytes) }
        guard let wallet = new?.walletAddress else { return [] }
        var others = try devices(ofWallet: wallet, network: network)
            .sorted { ($0.lastSeen, $0.createdAt) > ($1.lastSeen, $1.createdAt) }
        var removed: [RemovedDevice] = []
        while others.count >= Registry.devicesPerWallet, let oldest = others.popLast() {
            guard let deliveries = try removeDevice(oldest.id, network: network) else { continue }
            removed.append(RemovedDevice(id: oldest.id, deliveries: deliveries))
        }
        put(.walletDevices, wallet.storageKey + id.bytes, [])
        return removed
    }

    /// Keeps what an answer of Apple's has shown of a token.
    func noteEnvironment(
        _ environment: DeviceRecord.Environment, of id: DeviceID, network: Network
    ) throws(StoreError) {
        guard var device = try device(id, network: network), device.environment?.isSaid != true else { return }
        device.environment = .init(environment, isSaid: false)
        put(.devices, id.bytes, device.encoded)
        if shards.own > 0 { report(ShardReport(.environment, id, record: [environment.rawValue])) }
    }
}
