// The glue of an app with pushes, to start from: the app developer guide explains it part by part.
//
// Both the app and its notification extension compile this file, Wallet.swift and KeyChain.swift. What only one of them
// has is in AppDelegate.swift, CallDelegate.swift and NotificationService.swift.
import Foundation
import KasiaPushClient
import KasiaPushCore
import KasiaPushStore

/// What the operator and Apple's developer portal gave out.
enum Example {
    static let service = URL(string: "https://push.example.com")!
    static let appGroup = "group.com.example.chat"
    static let keyChainGroup = "TEAMID.com.example.chat"

    static func client(timeout: Duration = .seconds(30)) -> IndexerClient {
        var limits = IndexerClient.Limits()
        limits.timeout = timeout
        return IndexerClient(baseURL: service, limits: limits)!
    }
}

// MARK: What app and extension share

/// Where secrets are kept: the key chain, in a group that app and extension share.
protocol SecretStore: Sendable {
    func read(_ name: String) throws -> [UInt8]?
    func write(_ secret: [UInt8], _ name: String) throws
}

/// Something that is made once a process; when that fails, such as on a phone that is locked since its start, the next
/// call tries again.
actor Shared<Value: Sendable> {
    private let make: @Sendable () async throws -> Value
    private var making: Task<Value, any Error>?

    init(_ make: @escaping @Sendable () async throws -> Value) { self.make = make }

    func value() async throws -> Value {
        let making = making ?? Task { [make] in try await make() }
        self.making = making
        do {
            return try await making.value
        } catch {
            if self.making == making { self.making = nil }
            throw error
        }
    }
}

/// The time in milliseconds since 1970.
func milliseconds() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

// MARK: The extension

// snippet: reader
/// Opens pushes and decides how they are shown.
struct PushReader: Sendable {
    let client: IndexerClient
    let store: PushStore
    let opener: MessageOpener
    var groups: [GroupKeys] = []
    var settings: NotificationSettings

    func decide(_ push: PushPayload, now: Int64) async -> NotificationDecision {
        var push = push
        if push.needsFetching, let id = push.details?.transactionID,
            let sealed = try? await client.message(id).sealed
        {
            push = push.filled(with: sealed)
        }
        let opened = try? opener.open(push, groups: groups)
        var settings = settings
        settings.unreadCount = try? await store.pending.count()
        if let details = push.details {
            let message = PendingMessage(
                transactionID: details.transactionID, kind: details.type, sender: details.sender,
                text: opened?.text, receivedAt: now)
            _ = try? await store.pending.add(message)
        }
        let composer = NotificationComposer(settings: settings)
        return (try? composer.compose(push, opened: opened, contacts: store.contacts))
            ?? composer.compose(push, opened: opened)
    }
}
// end

extension PushReader {
    struct NotSignedIn: Error {}

    /// Makes the reader with the wallet that is signed in now.
    init(client: IndexerClient, secrets: any SecretStore, store: PushStore) throws {
        guard let wallet = try Wallet.read(secrets) else { throw NotSignedIn() }
        self.client = client
        self.store = store
        opener = wallet.opener
        settings = NotificationSettings(ownAddresses: [wallet.address])
    }
}

// MARK: The app

// snippet: keys
/// The keys that sign registrations, out of the key chain.
struct AppKeys: RegistrationKeys {
    let secrets: any SecretStore

    func walletKey(for address: String) async throws -> (any WalletKey)? {
        guard let wallet = try Wallet.read(secrets), wallet.address == address else { return nil }
        return wallet.key
    }

    func deviceKey() async throws -> (any DeviceKey)? {
        if let secret = try secrets.read("device key") { return try SoftwareDeviceKey(secret: secret) }
        let key = SoftwareDeviceKey()
        try secrets.write(key.secret, "device key")
        return key
    }

    func deviceKeyCounter() async throws -> UInt64 {
        try secrets.read("device key's counter").flatMap { UInt64(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    func storeDeviceKeyCounter(_ counter: UInt64) async throws {
        try secrets.write(Array(String(counter).utf8), "device key's counter")
    }
}
// end

/// A state of the library as a file of the app, on the disk when `write` returns.
struct StateFile<State: Codable & Sendable>: Sendable {
    let url: URL

    func read() throws -> State? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        return try JSONDecoder().decode(State.self, from: Data(contentsOf: url))
    }

    func write(_ state: State) throws {
        try JSONEncoder().encode(state).write(to: url, options: .atomic)
        let file = try FileHandle(forUpdating: url)
        try file.synchronize()
        try file.close()
    }
}

/// The app's own storage of messages.
protocol AppMessages: Sendable {
    /// Stores messages durably. One that is there already, by its transaction, gets its text if it has none.
    func save(_ messages: [PendingMessage]) async throws
    /// The newest message's time, milliseconds since 1970; 0 without one.
    func newest() async throws -> Int64
}

// snippet: push
/// All of the app's pushes; one for the whole process.
actor AppPush {
    let client: IndexerClient
    let manager: RegistrationManager
    let gaps: GapTracker
    let store: PushStore
    let inbox: Inbox
    private var token: PushToken?
    private var account: (address: String, contacts: [Contact])?

    init(
        client: IndexerClient, secrets: any SecretStore, messages: any AppMessages, folder: URL, storePath: String,
        environment: RegistrationEnvironment = .system
    ) async throws {
        let registration = StateFile<RegistrationState>(url: folder.appendingPathComponent("registration.json"))
        let received = StateFile<GapState>(url: folder.appendingPathComponent("received.json"))
        self.client = client
        store = try await PushStore.open(path: storePath)
        manager = RegistrationManager(
            calls: client, keys: AppKeys(secrets: secrets), state: try registration.read(),
            environment: environment, save: { try registration.write($0) })
        gaps = GapTracker(manager: manager, state: try received.read(), save: { try received.write($0) })
        inbox = Inbox(client: client, store: store, secrets: secrets, messages: messages)
        // What an earlier process has begun.
        try await store.pending.giveBackAll()
        _ = try await store.connections.resumeSignOuts { [manager] _ in try await manager.want(.signedOut) }
    }

    /// Keeps the registration as it is wanted, until the task is cancelled.
    func run() async { await manager.run() }
}
// end

// snippet: want
extension AppPush {
    /// At each start, once the system has given the token.
    func tokenArrived(_ token: PushToken) async throws {
        self.token = token
        try await want()
    }

    /// At each start, at a sign-in, and whenever the contacts change.
    func signedIn(_ address: String, contacts: [Contact]) async throws {
        account = (address, contacts)
        try await store.connections.signIn(address)
        try await store.contacts.replaceAll(contacts)
        try await want()
    }

    private func want() async throws {
        guard let token, let account else { return }
        var device = DeviceRegistration(token: token, platform: .ios, walletAddress: account.address)
        device.primaryAddress = account.address
        device.watchedAddresses = account.contacts.prefix(256).map(\.address)
        device.payloadFormat = .kasia
        #if DEBUG
        device.environment = .development
        #else
        device.environment = .production
        #endif
        try await manager.want(.signedIn(device))
    }
}
// end

// snippet: sign-out
extension AppPush {
    /// Keep the wallet's key until `manager.progress.pendingUnregisters` is 0, or have a device key.
    func signOut() async throws {
        guard let address = account?.address else { return }
        account = nil
        _ = try await store.connections.signOut(address, now: milliseconds()) { [manager] _ in
            try await manager.want(.signedOut)
        }
        try await store.contacts.replaceAll([])
    }
}
// end

// snippet: catch-up
extension AppPush {
    /// At the start, whenever the app comes to the foreground, and in a background refresh.
    func catchUp() async throws {
        await manager.networkReturned()
        let dropped = try await inbox.take(now: milliseconds())
        let result = try await gaps.catchUp { [inbox] pushes in try await inbox.fetch(pushes, now: milliseconds()) }
        guard dropped > 0 || result?.lists != nil else { return }
        try await inbox.readLists(of: account?.address, writtenBy: account?.contacts.map(\.address) ?? [])
        if let order = result?.lists { try await gaps.listsWereRead(order) }
        try await store.pending.confirm([], dropped: dropped)
    }

    /// A push that came while the app runs, in the foreground or in the background.
    func received(_ push: PushPayload) async throws {
        guard let details = push.details else { return }
        try await inbox.keep(details, now: milliseconds())
        if let seq = details.seq, try await gaps.received(seq) { try await catchUp() }
    }
}
// end

/// Brings messages from the store, and what was missed from the service, to the app's own storage.
struct Inbox: Sendable {
    let client: IndexerClient
    let store: PushStore
    let secrets: any SecretStore
    let messages: any AppMessages

    /// Hands over what the extension has left; how many messages were dropped because there were more than 100.
    func take(now: Int64) async throws -> Int {
        let wallet = try Wallet.read(secrets)
        let taken = try await store.pending.take(now: now)
        var (read, postponed) = ([PendingMessage](), [String]())
        for var message in taken.messages {
            do {
                if message.text == nil { message.text = try await text(of: message, wallet) }
                read.append(message)
            } catch let error as IndexerError where error.isTemporary || isNew(message, now) {
                postponed.append(message.transactionID)
            } catch {
                read.append(message)  // Without its text: gone from the service, or sealed for another key.
            }
        }
        try await messages.save(read)
        try await store.pending.confirm(read.map(\.transactionID))
        try await store.pending.giveBack(postponed)
        return taken.dropped
    }

    /// Keeps what the service says was missed, and fetches the texts.
    func fetch(_ pushes: [MissedPush], now: Int64) async throws {
        let missed = pushes.map { push in
            PendingMessage(
                transactionID: push.transactionID, kind: push.kind.rawValue,
                sender: push.sender.isEmpty ? nil : push.sender, receivedAt: Int64(clamping: push.timestamp))
        }
        _ = try await store.pending.add(missed)
        _ = try await take(now: now)
    }

    /// Keeps a push that came to the app, in case that no extension has.
    func keep(_ details: PushDetails, now: Int64) async throws {
        let message = PendingMessage(
            transactionID: details.transactionID, kind: details.type, sender: details.sender, receivedAt: now)
        _ = try await store.pending.add(message)
        _ = try await take(now: now)
    }

    private func text(of message: PendingMessage, _ wallet: Wallet?) async throws -> String? {
        let unsealed = ["broadcast", "address_activity", "payment_reverted"]
        guard let wallet, let kind = message.kind, !unsealed.contains(kind),
            let sealed = try await client.message(message.transactionID).sealed
        else { return nil }
        // The same members as a push has, so that the opener knows what it opens.
        var members = ["type": kind, "tx_id": message.transactionID]
        members["sender"] = message.sender
        return try wallet.opener.open(PushPayload(data: members).filled(with: sealed)).text
    }

    /// The service may not have a transaction yet that a push tells of.
    private func isNew(_ message: PendingMessage, _ now: Int64) -> Bool { now - message.receivedAt < 3_600_000 }
}

extension Inbox {
    /// Reads the lists of the service, from ten minutes before the newest message: later ones may have earlier times.
    func readLists(of address: String?, writtenBy contacts: [String]) async throws {
        let start = UInt64(max(0, try await messages.newest() - 600_000))
        for contact in contacts {
            try await read("contextual_message", from: start) { position in
                try await client.contextualMessages(sentBy: contact, from: position).map { ($0, $0.sender) }
            }
        }
        guard let address else { return }
        try await read("handshake", from: start) { position in
            try await client.handshakes(receivedBy: address, from: position).map { ($0, $0.sender) }
        }
        try await read("payment", from: start) { position in
            try await client.payments(receivedBy: address, from: position).map { ($0, $0.sender) }
        }
    }

    private func read(
        _ kind: String, from start: UInt64, _ page: (ListPosition) async throws -> [(any OperationRow, String)]
    ) async throws {
        var position = ListPosition(blockTime: start, limit: 50)
        while true {
            let rows = try await page(position)
            guard let cursor = rows.last?.0.cursor else { return }
            let found = rows.map { row, sender in
                PendingMessage(
                    transactionID: row.transactionID, kind: kind, sender: sender.isEmpty ? nil : sender,
                    receivedAt: Int64(clamping: row.blockTime))
            }
            _ = try await store.pending.add(found)
            _ = try await take(now: milliseconds())
            position = ListPosition(cursor: cursor, limit: 50)
        }
    }
}

// snippet: activity
/// Shows an address's history, live, until the calling task is cancelled.
func showActivity(
    of address: String, _ client: IndexerClient, show: @MainActor (ActivitySnapshot) -> Void
) async {
    let filter = ActivityFilter(includesTransfers: true)
    let feed = ActivityFeed(client: client, address: address, filter: filter)
    async let running: Void = feed.run()
    for await snapshot in await feed.snapshots() { await show(snapshot) }
    await running
}
// end
