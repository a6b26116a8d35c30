import APNsSandbox
import Foundation
import Kaspa
import KasiaPushClient
import KasiaPushCore
import KasiaPushSecp256k1
import Synchronization
import Testing

/// An app that is built on the library, on one device of its owner.
struct AppOnDevice: Sendable {
    let owner: AppStory.Owner
    let platform: PushPlatform
    let manager: RegistrationManager
    /// What the stand-in's log calls the device.
    let nameInLog: String
    private let token: PushToken
    private let subscription: WebPushSubscription?
    private let client: IndexerClient
    private let opener: MessageOpener
    private let composer: NotificationComposer

    init(owner: AppStory.Owner, platform: PushPlatform, client: IndexerClient, sandbox: APNsSandbox) throws {
        self.owner = owner
        self.platform = platform
        self.client = client
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        switch platform {
        case .android:
            token = try PushToken.fcm("fcm:" + Hex.encode(bytes) + String(repeating: "_", count: 80))
            (nameInLog, subscription) = (token.text, nil)
        case .web:
            let made = sandbox.makeSubscription()
            token = try PushToken.webPush(endpoint: made.endpoint)
            nameInLog = made.id
            subscription = WebPushSubscription(
                endpoint: made.endpoint, keys: .init(p256dh: made.p256dh, auth: made.auth))
        default:
            token = try PushToken.apns(bytes)
            (nameInLog, subscription) = (token.text, nil)
        }
        let wallet = try #require(Secp256k1WalletKey(secret: owner.secret))
        manager = RegistrationManager(
            calls: client, keys: Keys(address: owner.address, wallet: wallet), state: nil, save: { _ in })
        opener = try #require(MessageOpener(address: owner.address, secret: owner.secret, curve: LibSecp256k1()))
        composer = NotificationComposer(settings: NotificationSettings(ownAddresses: [owner.address]))
    }

    /// Registers the device, signed by its wallet; returns once the service has it.
    func signIn(watching writers: [String]) async throws {
        var registration = DeviceRegistration(token: token, platform: platform, walletAddress: owner.address)
        registration.primaryAddress = owner.address
        registration.watchedAddresses = writers + [owner.address]
        registration.groupIDs = owner.groupIDs
        registration.capabilities = owner.groupIDs.isEmpty ? [] : ["group_v1"]
        registration.subscription = subscription
        try await manager.want(.signedIn(registration))
        try await untilInEffect("\(platform) is registered")
        #expect(try await client.status(of: token, auth: nil).isRegistered)
    }

    func signOut() async throws {
        try await manager.want(.signedOut)
        try await untilInEffect("\(platform) is signed out")
        #expect(try await client.status(of: token, auth: nil).isRegistered == false)
    }

    private func untilInEffect(_ what: String) async throws {
        try await eventually(what) {
            let progress = await manager.progress
            try #require(progress.problem == nil, "\(String(describing: progress.problem))")
            return progress.isInEffect
        }
    }

    /// Does what the notification extension does; returns the push's transaction and the text that is shown.
    func show(_ push: ReceivedNotification) async throws -> (transaction: String, text: String) {
        var payload = try read(push)
        let details = try #require(payload.details)
        if payload.needsFetching {
            let message = try await client.message(details.transactionID)
            payload = payload.filled(with: try #require(message.sealed))
        }
        let opened = try? opener.open(payload, groups: owner.groups)
        guard case .show(let notification) = composer.compose(payload, opened: opened) else {
            Issue.record("\(details.transactionID) is not shown")
            return (details.transactionID, "")
        }
        return (details.transactionID, notification.body)
    }

    /// Whether the push has the service's signature, for this device.
    func isSigned(_ push: ReceivedNotification, by key: [UInt8]) throws -> Bool {
        PushSignature.verify(try read(push), token: token, publicKey: key)
    }

    private func read(_ push: ReceivedNotification) throws -> PushPayload {
        switch push.carrier {
        case .apns: PushPayload(userInfo: try #require(push.object))
        case .fcm: PushPayload(data: try #require(push.androidData))
        default: try PushPayload(json: try #require(push.contents))
        }
    }
}

/// Keys in memory, as a key chain keeps them.
private final class Keys: RegistrationKeys {
    private let address: String
    private let wallet: Secp256k1WalletKey
    private let device = SoftwareDeviceKey()
    private let counter = Mutex<UInt64>(0)

    init(address: String, wallet: Secp256k1WalletKey) {
        self.address = address
        self.wallet = wallet
    }

    func walletKey(for address: String) async throws -> (any WalletKey)? { address == self.address ? wallet : nil }

    func deviceKey() async throws -> (any DeviceKey)? { device }

    func deviceKeyCounter() async throws -> UInt64 { counter.withLock { $0 } }

    func storeDeviceKeyCounter(_ counter: UInt64) async throws { self.counter.withLock { $0 = counter } }
}
