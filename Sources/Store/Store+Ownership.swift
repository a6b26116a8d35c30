public import Kaspa

/// What a caller decides about a device, inside the batch that writes it.
public enum DeviceDecision<Refusal: Sendable>: Sendable {
    case put(DeviceRecord)
    case remove
    /// Nothing is written.
    case refuse(Refusal)
}

/// What came of a decision.
public enum DeviceOutcome<Refusal: Sendable>: Sendable {
    /// The registration was written; the devices that gave way to it are gone.
    case put(removed: [RemovedDevice])
    /// Nil: the device was not registered.
    case removed(RemovedDevice?)
    case refused(Refusal)
}

/// A device that left the registry.
public struct RemovedDevice: Hashable, Sendable {
    /// Its name in the store; its token is gone.
    public var id: DeviceID
    /// How many waiting deliveries went with it.
    public var deliveries: Int
}

/// Who may change a device: the wallet it is bound to, and the counters of device keys (registration-auth.md).
extension Store {
    /// How many devices a wallet may have; the one seen least recently gives way to a new one.
    public static let devicesPerWallet = 20
    /// Device keys without a device that are remembered; the longest retired go first.
    public static let retiredDeviceKeys: UInt64 = 100_000

    /// Decides about a device and writes the decision in one batch; not durable before `sync()`.
    ///
    /// `decide` gets the present registration and the last counter of the key in `use`, nil if either is unknown. No
    /// other change comes between what it sees and what is written. Unless it refuses, the key's counter advances.
    public func changeDevice<Refusal: Sendable>(
        _ id: DeviceID, use: DeviceKeyUse? = nil,
        _ decide: @Sendable (_ device: DeviceRecord?, _ lastCounter: UInt64?) -> DeviceDecision<Refusal>
    ) async throws(StoreError) -> DeviceOutcome<Refusal> {
        let (network, gate) = (network, gate)
        return try await write { (transaction) throws(StoreError) in
            let old = try transaction.device(id, network: network)
            let lastCounter = try use.flatMap { (use) throws(StoreError) in
                try transaction.deviceKey(use.keyID)?.counter
            }
            switch decide(old, lastCounter) {
            case .put(let record):
                try gate.check(.growth)
                let removed = try transaction.putDevice(record, replacing: old, network: network)
                try transaction.advance(use)
                return .put(removed: removed)
            case .remove:
                let deliveries = try transaction.removeDevice(id, network: network)
                try transaction.advance(use)
                return .removed(deliveries.map { RemovedDevice(id: id, deliveries: $0) })
            case .refuse(let refusal):
                return .refused(refusal)
            }
        }
    }

    /// The devices bound to a wallet, at most `devicesPerWallet`, in no order that means anything.
    public func devices(ofWallet wallet: Address) throws(StoreError) -> [DeviceRecord] {
        try Snapshot(database).devices(ofWallet: wallet, network: network)
    }

    /// Removes every device of a wallet in one batch; not durable before `sync()`.
    ///
    /// Nil, and nothing is written, when the counter of the device key in `use` has not grown.
    public func removeDevices(
        ofWallet wallet: Address, use: DeviceKeyUse? = nil
    ) async throws(StoreError) -> [RemovedDevice]? {
        let network = network
        return try await write { (transaction) throws(StoreError) in
            guard try transaction.hasGrown(use) else { return nil }
            var removed: [RemovedDevice] = []
            for device in try transaction.devices(ofWallet: wallet, network: network) {
                guard let deliveries = try transaction.removeDevice(device.id, network: network) else { continue }
                removed.append(RemovedDevice(id: device.id, deliveries: deliveries))
            }
            try transaction.advance(use)
            return removed
        }
    }

    /// Notes the use of a device key that is known; false, and nothing is written, when its counter has not grown.
    public func noteUse(of use: DeviceKeyUse) async throws(StoreError) -> Bool {
        try await write { (transaction) throws(StoreError) in
            guard try transaction.hasGrown(use) else { return false }
            try transaction.advance(use)
            return true
        }
    }
}

extension StoreReading {
    func deviceKey(_ keyID: [UInt8]) throws(StoreError) -> DeviceKeyRecord? {
        guard let stored = try get(.deviceKeys, keyID) else { return nil }
        return try DeviceKeyRecord(encoded: stored)
    }

    func devices(ofWallet wallet: Address, network: Network) throws(StoreError) -> [DeviceRecord] {
        let prefix = wallet.storageKey
        let ids = try list(
            .walletDevices, from: prefix, below: KeyBytes.successor(ofPrefix: prefix), limit: .max
        ) { (row) throws(StoreError) in DeviceID(bytes: Array(row.key.dropFirst(prefix.count))) }
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
    /// Keeps the wallet index and the keys' reference counts true; returns the devices that gave way.
    func changeOwnership(
        of id: DeviceID, from old: DeviceRecord?, to new: DeviceRecord?, network: Network
    ) throws(StoreError) -> [RemovedDevice] {
        if old?.deviceKeyID != new?.deviceKeyID {
            if let key = new?.deviceKeyID { try attach(key) }
            if let key = old?.deviceKeyID { try release(key) }
        }
        guard old?.walletAddress != new?.walletAddress else { return [] }
        if let wallet = old?.walletAddress { delete(.walletDevices, wallet.storageKey + id.bytes) }
        guard let wallet = new?.walletAddress else { return [] }
        var others = try devices(ofWallet: wallet, network: network)
            .sorted { ($0.lastSeen, $0.createdAt) > ($1.lastSeen, $1.createdAt) }
        var removed: [RemovedDevice] = []
        while others.count >= Store.devicesPerWallet, let oldest = others.popLast() {
            guard let deliveries = try removeDevice(oldest.id, network: network) else { continue }
            removed.append(RemovedDevice(id: oldest.id, deliveries: deliveries))
        }
        put(.walletDevices, wallet.storageKey + id.bytes, [])
        return removed
    }

    func hasGrown(_ use: DeviceKeyUse?) throws(StoreError) -> Bool {
        guard let use, let known = try deviceKey(use.keyID) else { return true }
        return use.counter > known.counter
    }

    /// Only keys that a registration has named have a row: a signature alone cannot fill the store.
    func advance(_ use: DeviceKeyUse?) throws(StoreError) {
        guard let use, var key = try deviceKey(use.keyID) else { return }
        key.counter = max(key.counter, use.counter)
        put(.deviceKeys, use.keyID, key.encoded)
    }

    private func attach(_ keyID: [UInt8]) throws(StoreError) {
        var key = try deviceKey(keyID) ?? DeviceKeyRecord()
        if let number = key.retired {
            delete(.retiredDeviceKeys, WriteTransaction.bytes(number))
            try adjust(.retiredDeviceKeys, by: -1)
            key.retired = nil
        }
        key.devices = key.devices &+ 1
        put(.deviceKeys, keyID, key.encoded)
    }

    private func release(_ keyID: [UInt8]) throws(StoreError) {
        guard var key = try deviceKey(keyID), key.devices > 0 else { throw ByteReader.corrupt("device key") }
        key.devices -= 1
        if key.devices == 0 {
            let number = try nextRetiredNumber()
            key.retired = number
            put(.retiredDeviceKeys, WriteTransaction.bytes(number), keyID)
            try adjust(.retiredDeviceKeys, by: 1)
        }
        put(.deviceKeys, keyID, key.encoded)
        try forgetRetiredKeys()
    }

    private func nextRetiredNumber() throws(StoreError) -> UInt64 {
        var last: UInt64 = 0
        if let stored = try get(.meta, MetaKey.lastRetiredKey) {
            var reader = ByteReader(stored)
            last = try reader.readUInt64()
            try reader.finish()
        }
        put(.meta, MetaKey.lastRetiredKey, WriteTransaction.bytes(last &+ 1))
        return last &+ 1
    }

    private func forgetRetiredKeys() throws(StoreError) {
        while try value(of: .retiredDeviceKeys) > Store.retiredDeviceKeys {
            let oldest = try first(.retiredDeviceKeys) { (row) throws(StoreError) in
                (Array(row.key), Array(row.value))
            }
            guard let (number, keyID) = oldest else { throw ByteReader.corrupt("retired device keys") }
            delete(.retiredDeviceKeys, number)
            note(nothingBelow: number + [0], in: .retiredDeviceKeys)
            delete(.deviceKeys, keyID)
            try adjust(.retiredDeviceKeys, by: -1)
        }
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        var writer = ByteWriter(capacity: 8)
        writer.write(number)
        return writer.bytes
    }
}
