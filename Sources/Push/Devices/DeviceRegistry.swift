public import Clocks
import Kaspa
import Logging
import Metrics
public import Store

/// Which devices watch what, and whose they are: changes are on disk before they are answered.
public struct DeviceRegistry: Sendable {
    package let store: Store
    /// How long an unregister waits for answers to what is on its way: usual answers take a tenth of it.
    public static let patience = Duration.seconds(1)

    private let inFlight: [InFlightDevices]
    private let patience: Duration
    let clock: ServiceClock
    private let instruments: PushInstruments

    /// `inFlight` is the dispatcher's, `ringing` the ringer's: an unregister waits until nothing is on its way to the
    /// device, but no longer than `patience`.
    public init(
        store: Store, inFlight: InFlightDevices, ringing: InFlightDevices? = nil,
        patience: Duration = DeviceRegistry.patience, clock: ServiceClock
    ) {
        self.patience = patience
        self.store = store
        self.inFlight = [inFlight] + (ringing.map { [$0] } ?? [])
        self.clock = clock
        instruments = PushInstruments()
    }

    /// Creates or replaces a registration; durable on return.
    ///
    /// A re-registration continues the old one's `createdAt`. The first proof binds the token to its wallet; without
    /// one the token must not be bound. Errors: `RegistrationRefusal`, the client's; `StoreError`, the machine's fault;
    /// nothing is promised then.
    public func register(_ registration: Registration, proof: WalletProof? = nil) async throws {
        let time = clock.present()
        let id = DeviceID(token: registration.token)
        let decide = { @Sendable (old: DeviceRecord?) -> DeviceDecision<RegistrationRefusal> in
            if let bound = old?.walletAddress, bound != proof?.wallet {
                return .refuse(proof == nil ? .unsigned : .boundToAnother)
            }
            guard proof?.deviceKey?.mayFollow(old?.deviceKey) ?? true else { return .refuse(.staleCounter) }
            return .put(registration.record(at: time, replacing: old, proof: proof))
        }
        var outcome = try await store.registry.changeDevice(id, using: proof?.nonce, decide)
        if case .full = outcome, let evicted = try await store.makeRoomInOtherShards(near: id, now: time) {
            note(evicted, .evicted)
            // The nonce was used by the first attempt.
            outcome = try await store.registry.changeDevice(id, decide)
        }
        if let refusal = outcome.refusal { throw refusal }
        guard case .put(let removed, let evicted) = outcome else { return }
        try await store.sync()
        for device in removed { note(device, .walletLimit) }
        if let evicted { note(evicted, .evicted) }
    }

    /// Removes a device and all its traces; durable on return.
    ///
    /// Returns whether it was registered. Nothing is sent to the device from now on. What was on its way has arrived when
    /// this returns, unless an answer took longer than `patience`. A bound token is removed by its wallet or its
    /// device key; if it has none stored and `anyDeviceKeyMayRemove`, by any device key: then only its wallet binds it
    /// again for a week. Errors: as `register`.
    @discardableResult
    public func unregister(
        token: [UInt8], proof: RemovalProof? = nil, anyDeviceKeyMayRemove: Bool = false
    ) async throws -> Bool {
        let (id, time) = (DeviceID(token: token), clock.present())
        let outcome = try await store.registry.changeDevice(id, using: proof?.nonce) {
            old -> DeviceDecision<RegistrationRefusal> in
            let refusal = old?.refusalToRemove(proof, anyDeviceKey: anyDeviceKeyMayRemove)
            if let refusal { return .refuse(refusal) }
            return old?.isRemovedByStranger(proof) == true ? .release(at: time) : .remove
        }
        if let refusal = outcome.refusal { throw refusal }
        guard case .removed(let device) = outcome else { return false }
        try await store.sync()
        if let device { note(device, .unregistered) }
        try await waitUntilIdle([id])
        return device != nil
    }

    /// Removes a device at the operator's word, whichever wallet it is bound to; durable on return.
    ///
    /// Returns whether it was registered; what is on its way is waited for as by `unregister`. Any wallet may bind its token
    /// afterwards. Errors: `StoreError`.
    @discardableResult
    public func remove(_ id: DeviceID) async throws -> Bool {
        let deliveries = try await store.registry.removeDevice(id)
        try await store.sync()
        if let deliveries {
            instruments.deviceRemoved(.byOperator)
            instruments.suppressed(.deviceRemoved, count: deliveries)
        }
        try await waitUntilIdle([id])
        return deliveries != nil
    }

    /// Takes over what other shards have found out of devices; returns those that are gone, as their tokens are dead.
    ///
    /// Errors: `StoreError`, after which the same is found again.
    public func takeReports() async throws(StoreError) -> [DeviceID] {
        try await store.takeReports().map { report in
            switch report.kind {
            case .invalidToken: instruments.deviceRemoved(.invalidToken)
            case .neverAccepted: instruments.deviceRemoved(.neverAccepted)
            case .gone, .environment: instruments.deviceRemoved(.gone)
            }
            return report.device
        }
    }

    /// Whether a token is registered.
    public func isRegistered(token: [UInt8]) async throws(StoreError) -> Bool {
        try await store.registry.isRegistered(DeviceID(token: token))
    }

    /// The registration of a token; nil if there is none.
    public func device(token: [UInt8]) async throws(StoreError) -> DeviceRecord? {
        try await store.registry.device(DeviceID(token: token))
    }

    /// The registration, for the wallet that it is bound to; if `mayBeUnbound`, for any where it is bound to none.
    ///
    /// The nonce was used up before. Errors: as `register`.
    public func device(token: [UInt8], proof: WalletProof, mayBeUnbound: Bool) async throws -> DeviceRecord? {
        let device = try await device(token: token)
        if let device, device.walletAddress != proof.wallet {
            guard device.walletAddress == nil else { throw RegistrationRefusal.boundToAnother }
            guard mayBeUnbound else { throw RegistrationRefusal.unbound }
        }
        if let use = proof.deviceKey {
            guard try await store.registry.noteUse(of: use, for: DeviceID(token: token)) else {
                throw RegistrationRefusal.staleCounter
            }
        }
        return device
    }

    /// The devices of the wallet that signed, the one seen last first.
    ///
    /// A device key's counter is not looked at: it belongs to a token, and none is named. Errors: `StoreError`.
    public func devices(of proof: WalletProof) async throws(StoreError) -> [DeviceRecord] {
        try await store.registry.devices(ofWallet: proof.wallet)
            .sorted { ($0.lastSeen, $0.createdAt) > ($1.lastSeen, $1.createdAt) }
    }

    /// Removes every device of the wallet that signed, with all traces; durable on return.
    ///
    /// Returns how many there were; what is on its way is waited for as by `unregister`. Errors: as `register`.
    public func unregisterAll(of proof: WalletProof) async throws -> Int {
        guard let removed = try await store.registry.removeDevices(ofWallet: proof.wallet, using: proof.nonce) else {
            throw RegistrationRefusal.usedNonce
        }
        try await store.sync()
        for device in removed { note(device, .unregistered) }
        try await waitUntilIdle(removed.map(\.id))
        // Perhaps they were removed by a call before, which was not answered.
        if removed.isEmpty { try await store.waitUntilAllCleared() }
        return removed.count
    }

    /// Waits for what is on its way to removed devices, for all of them together at most `patience`; for the word of the
    /// shards that send to them for longer.
    ///
    /// Errors: `.unavailable` if such a shard does not give its word; the devices are removed all the same.
    private func waitUntilIdle(_ ids: [DeviceID]) async throws(StoreError) {
        let deadline = ContinuousClock.now + patience
        for id in ids {
            for devices in inFlight { await devices.waitUntilIdle(id, until: deadline) }
        }
        try await store.waitUntilCleared(ids)
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

    /// Whether a removal that is allowed is by somebody who has not shown that the phone is his: neither by the bound wallet
    /// nor by a device key that was stored.
    fileprivate func isRemovedByStranger(_ proof: RemovalProof?) -> Bool {
        walletAddress != nil && walletAddress != proof?.wallet && deviceKey == nil
    }

    /// Whether a device key may stand in for the bound wallet: the stored one, or if there is none, perhaps `any`.
    private func isKey(_ use: DeviceKeyUse?, any: Bool) -> Bool {
        guard let use else { return false }
        return deviceKey.map { $0.keyID == use.keyID } ?? (any && walletAddress != nil)
    }
}

extension DeviceOutcome<RegistrationRefusal> {
    /// Why nothing was changed; nil if it was.
    fileprivate var refusal: RegistrationRefusal? {
        switch self {
        case .refused(let refusal): refusal
        case .usedNonce: .usedNonce
        case .heldForAnother: .heldForAnother
        case .full: .full
        case .put, .removed: nil
        }
    }
}

extension Registration {
    fileprivate func record(at time: UInt64, replacing old: DeviceRecord?, proof: WalletProof?) -> DeviceRecord {
        // Bytes of Apple's may spell another carrier's token: what belongs to one carrier is not kept for another.
        let same = old.flatMap { $0.platform.carrier == carrier ? $0 : nil }
        var record = DeviceRecord(
            token: token, platform: platform ?? same?.platform ?? carrier.usualPlatform, createdAt: time,
            lastSeen: time, primaryAddress: primaryAddress, walletAddress: proof?.wallet ?? old?.walletAddress,
            deviceKey: proof?.deviceKey ?? old?.deviceKey, watchedAddresses: watchedAddresses,
            aliases: aliases, watchedGroupIDs: watchedGroupIDs, capabilities: capabilities,
            payloadFormat: payloadFormat, watchOnlyAddresses: watchOnlyAddresses)
        switch carrier {
        case .apns:
            record.environment = environment.map { .init($0, isSaid: true) } ?? same?.environment
            record.voipToken = voipToken
        case .fcm: break
        case .webPush: record.subscriptionKeys = subscriptionKeys ?? same?.subscriptionKeys
        }
        record.broadcastChannels = broadcastChannels
        record.hiddenBroadcastSenders = hiddenBroadcastSenders
        return record
    }
}

extension CarrierName {
    /// The platform of a new device that names none.
    fileprivate var usualPlatform: DeviceRecord.Platform {
        switch self {
        case .apns: .ios
        case .fcm: .android
        case .webPush: .web
        }
    }
}
