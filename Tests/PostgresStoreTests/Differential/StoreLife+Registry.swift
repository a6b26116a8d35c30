import Kaspa
import Store

/// Registrations of all kinds, and nonces.
extension StoreLife {
    func platform(_ number: Int) -> DeviceRecord.Platform {
        [.ios, .macos, .android, .web, .unifiedPush][number % 5]
    }

    func token(_ number: Int) -> [UInt8] {
        switch platform(number).carrier {
        case .apns: (0..<32).map { UInt8(truncatingIfNeeded: number * 37) &+ $0 }
        case .fcm: Array("token-\(number)-\(String(repeating: "x", count: 64))".utf8)
        case .webPush: Array("https://push.example/\(number)".utf8)
        }
    }

    private mutating func registration(_ number: Int) -> DeviceRecord {
        var device = DeviceRecord(
            token: token(number), platform: platform(number), createdAt: now, lastSeen: now,
            primaryAddress: oneIn(2) ? address() : nil, walletAddress: oneIn(2) ? address() : nil,
            deviceKey: oneIn(3)
                ? DeviceKeyUse(keyID: [UInt8](repeating: UInt8(below(2)), count: 32), counter: UInt64(below(9))) : nil,
            watchedAddresses: addresses(oneIn: 2), aliases: oneIn(3) ? [Array("alias0".utf8)] : [],
            watchedGroupIDs: (0..<2).filter { _ in oneIn(2) }.map(LifeSamples.group),
            capabilities: oneIn(2) ? [DeviceRecord.groupCapability] : [], payloadFormat: oneIn(2) ? .kachat : nil,
            watchOnlyAddresses: addresses(oneIn: 3))
        device.broadcastChannels = (0..<2).filter { _ in oneIn(2) }.map(LifeSamples.channel)
        device.hiddenBroadcastSenders = oneIn(3) ? [LifeSamples.channel(0): [address()]] : [:]
        device.voipToken = oneIn(4) ? [UInt8](repeating: 9, count: 32) : []
        device.environment = oneIn(3) ? .init(.development, isSaid: oneIn(2)) : nil
        if device.platform.carrier == .webPush {
            device.subscriptionKeys = .init(
                publicKey: [UInt8](repeating: 4, count: DeviceRecord.SubscriptionKeys.publicKeyBytes),
                secret: [UInt8](repeating: 5, count: DeviceRecord.SubscriptionKeys.secretBytes))
        }
        return device
    }

    mutating func nonce() -> NonceUse {
        if oneIn(4), let used = usedNonces.randomElement(using: &random) { return used }
        let nonce = NonceUse(
            nonce: (0..<NonceUse.byteCount).map { _ in UInt8(below(256)) }, expiresAt: now + UInt64(below(60_000)),
            usedAt: now)
        usedNonces.append(nonce)
        return nonce
    }

    mutating func changeDevice() async throws {
        let device = registration(below(StoreLife.devices))
        let nonce = oneIn(2) ? nonce() : nil
        let (now, choice) = (now, below(12))
        let outcome = try await both("change \(choice)") { store in
            let outcome: DeviceOutcome<Int> = try await store.registry.changeDevice(device.id, using: nonce) { old in
                switch choice {
                case 0: .remove
                case 1...2: .release(at: now)
                case 3: .refuse(old == nil ? 1 : 2)
                default: .put(device)
                }
            }
            return "\(outcome)"
        }
        // What waits already stands in the lane of those on probation.
        guard outcome.hasPrefix("put"), oneIn(2), try await store.outbox.deviceState(device.id).waiting == 0 else {
            return
        }
        try await accept(device.id)
    }

    private func accept(_ id: DeviceID) async throws {
        _ = try await both("accepted") { store in
            try await store.outbox.noteAccepted(id)
            return true
        }
    }

    mutating func removeDevices() async throws {
        let id = DeviceID(token: token(below(StoreLife.devices)))
        if oneIn(2) {
            _ = try await both("remove") { try await $0.registry.removeDevice(id) }
        } else {
            let (wallet, nonce) = (address(), oneIn(2) ? nonce() : nil)
            _ = try await both("remove a wallet's") { store in
                let removed = try await store.registry.removeDevices(ofWallet: wallet, using: nonce)
                return removed.map(Set.init)
            }
        }
    }

    mutating func noteOfDevice() async throws {
        let id = DeviceID(token: token(below(StoreLife.devices)))
        let now = now
        switch below(5) {
        case 0:
            let use = DeviceKeyUse(keyID: [UInt8](repeating: 1, count: 32), counter: UInt64(below(9)))
            _ = try await both("key") { try await $0.registry.noteUse(of: use, for: id) }
        case 1:
            let environment: DeviceRecord.Environment = oneIn(2) ? .development : .production
            _ = try await both("environment") { store in
                try await store.registry.noteEnvironment(environment, of: id)
                return true
            }
        case 2:
            _ = try await both("ringing") { store in
                try await store.registry.forgetVoIPToken([UInt8](repeating: 9, count: 32), of: id)
                return true
            }
        case 3:
            _ = try await both("bindings") { store in
                try await store.registry.forgetReleasedBindings(now: now)
                return true
            }
        default: _ = try await both("evict") { try await $0.outbox.deviceToEvict(near: id, now: now) }
        }
    }

    mutating func useNonce() async throws {
        let nonce = nonce()
        _ = try await both("was used") { try await $0.registry.wasUsed(nonce) }
        _ = try await both("use") { try await $0.registry.use(nonce) }
    }
}
