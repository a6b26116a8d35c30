import Kaspa
import Logging
import Metrics
public import Store

/// Which devices watch what, and whose they are: changes are on disk before they are answered.
public struct DeviceRegistry: Sendable {
    package let store: Store
    private let inFlight: [InFlightDevices]
    let now: @Sendable () -> UInt64
    private let instruments: PushInstruments

    /// `inFlight` is the dispatcher's, `ringing` the ringer's: an unregister waits until nothing is on its way to the
    /// device.
    public init(
        store: Store, inFlight: InFlightDevices, ringing: InFlightDevices? = nil, now: @escaping @Sendable () -> UInt64
    ) {
        self.store = store
        self.inFlight = [inFlight] + (ringing.map { [$0] } ?? [])
        self.now = now
        instruments = PushInstruments()
    }

    /// Creates or replaces a registration; durable on return.
    ///
    /// A re-registration continues the old one's `createdAt`. The first proof binds the token to its wallet; without
    /// one the token must not be bound. Errors: `RegistrationRefusal`, the client's; `StoreError`, the machine's fault;
    /// nothing is promised then.
    public func register(_ registration: Registration, proof: WalletProof? = nil) async throws {
        let time = now()
        let id = DeviceID(token: registration.token)
        let outcome = try await store.changeDevice(id) { old -> DeviceDecision<RegistrationRefusal> in
            if let bound = old?.walletAddress, bound != proof?.wallet {
                return .refuse(proof == nil ? .unsigned : .boundToAnother)
            }
            guard proof?.deviceKey?.mayFollow(old?.deviceKey) ?? true else { return .refuse(.staleCounter) }
            return .put(registration.record(at: time, replacing: old, proof: proof))
        }
        switch outcome {
        case .refused(let refusal):
            throw refusal
        case .put(let removed):
            try await store.sync()
            for device in removed { note(device, .walletLimit) }
        case .removed:
            break
        }
    }

    /// Removes a device and all its traces; durable on return.
    ///
    /// Returns whether it was registered. When it returns, nothing is on its way to the device any more, and nothing
    /// will be. A bound token is removed by its wallet or its device key; if it has none stored and
    /// `anyDeviceKeyMayRemove`, by any device key. Errors: as `register`.
    @discardableResult
    public func unregister(
        token: [UInt8], proof: RemovalProof? = nil, anyDeviceKeyMayRemove: Bool = false
    ) async throws -> Bool {
        let id = DeviceID(token: token)
        let outcome = try await store.changeDevice(id) { old -> DeviceDecision<RegistrationRefusal> in
            let refusal = old?.refusalToRemove(proof, anyDeviceKey: anyDeviceKeyMayRemove)
            return refusal.map { .refuse($0) } ?? .remove
        }
        switch outcome {
        case .refused(let refusal):
            throw refusal
        case .removed(let device):
            try await store.sync()
            await waitUntilIdle(id)
            if let device { note(device, .unregistered) }
            return device != nil
        case .put:
            return false
        }
    }

    /// Removes a device at the operator's word, whichever wallet it is bound to; durable on return.
    ///
    /// Returns whether it was registered. When it returns, nothing is on its way to the device any more. Errors:
    /// `StoreError`.
    @discardableResult
    public func remove(_ id: DeviceID) async throws -> Bool {
        let deliveries = try await store.removeDevice(id)
        try await store.sync()
        await waitUntilIdle(id)
        if let deliveries {
            instruments.deviceRemoved(.byOperator)
            instruments.suppressed(.deviceRemoved, count: deliveries)
        }
        return deliveries != nil
    }

    /// The registration of a token; nil if there is none.
    public func device(token: [UInt8]) throws(StoreError) -> DeviceRecord? {
        try store.device(DeviceID(token: token))
    }

    /// The registration, for the wallet that it is bound to; if `mayBeUnbound`, for any where it is bound to none.
    ///
    /// Errors: as `register`.
    public func device(token: [UInt8], proof: WalletProof, mayBeUnbound: Bool) async throws -> DeviceRecord? {
        let device = try device(token: token)
        if let device, device.walletAddress != proof.wallet {
            guard device.walletAddress == nil else { throw RegistrationRefusal.boundToAnother }
            guard mayBeUnbound else { throw RegistrationRefusal.unbound }
        }
        if let use = proof.deviceKey {
            guard try await store.noteUse(of: use, for: DeviceID(token: token)) else {
                throw RegistrationRefusal.staleCounter
            }
        }
        return device
    }

    /// The devices of the wallet that signed, the one seen last first.
    ///
    /// A device key's counter is not looked at: it belongs to a token, and none is named. Errors: `StoreError`.
    public func devices(of proof: WalletProof) throws(StoreError) -> [DeviceRecord] {
        try store.devices(ofWallet: proof.wallet)
            .sorted { ($0.lastSeen, $0.createdAt) > ($1.lastSeen, $1.createdAt) }
    }

    /// Removes every device of the wallet that signed, with all traces; durable on return.
    ///
    /// Returns how many there were; nothing is on its way to them any more then. Errors: `StoreError`.
    public func unregisterAll(of proof: WalletProof) async throws -> Int {
        let removed = try await store.removeDevices(ofWallet: proof.wallet)
        try await store.sync()
        for device in removed {
            await waitUntilIdle(device.id)
            note(device, .unregistered)
        }
        return removed.count
    }

    private func waitUntilIdle(_ id: DeviceID) async {
        for devices in inFlight { await devices.waitUntilIdle(id) }
    }

    private func note(_ device: RemovedDevice, _ reason: PushInstruments.RemovalReason) {
        instruments.deviceRemoved(reason)
        instruments.suppressed(.deviceRemoved, count: device.deliveries)
    }
}

extension DeviceRecord {
    /// Why the signer may not remove the device; nil if it may.
    ///
    /// The bound wallet and the stored device key are alternatives: beside the wallet the key's counter does not matter. A
    /// wallet that is not the bound one proves nothing, nor does a signature that does not verify.
    fileprivate func refusalToRemove(_ proof: RemovalProof?, anyDeviceKey: Bool) -> RegistrationRefusal? {
        guard let proof else { return walletAddress == nil ? nil : .unsigned }
        if let wallet = proof.wallet, walletAddress == nil || walletAddress == wallet { return nil }
        guard isKey(proof.deviceKey, any: anyDeviceKey) else {
            return proof.wallet == nil ? .unproven : .boundToAnother
        }
        return proof.deviceKey?.mayFollow(deviceKey) ?? true ? nil : .staleCounter
    }

    /// Whether a device key may stand in for the bound wallet: the stored one, or if there is none, perhaps `any`.
    private func isKey(_ use: DeviceKeyUse?, any: Bool) -> Bool {
        guard let use else { return false }
        return deviceKey.map { $0.keyID == use.keyID } ?? (any && walletAddress != nil)
    }
}

extension Registration {
    fileprivate func record(at time: UInt64, replacing old: DeviceRecord?, proof: WalletProof?) -> DeviceRecord {
        var record = DeviceRecord(
            token: token, platform: platform ?? old?.platform ?? .ios, createdAt: time, lastSeen: time,
            primaryAddress: primaryAddress, walletAddress: proof?.wallet ?? old?.walletAddress,
            deviceKey: proof?.deviceKey ?? old?.deviceKey, watchedAddresses: watchedAddresses,
            aliases: aliases, watchedGroupIDs: watchedGroupIDs, capabilities: capabilities,
            payloadFormat: payloadFormat, watchOnlyAddresses: watchOnlyAddresses)
        record.environment = environment.map { .init($0, isSaid: true) } ?? old?.environment
        record.voipToken = voipToken
        record.broadcastChannels = broadcastChannels
        record.hiddenBroadcastSenders = hiddenBroadcastSenders
        return record
    }
}
