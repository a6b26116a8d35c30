import Foundation
import KasiaPushClient
import KasiaPushCore
import KasiaPushStore
import Testing

@testable import GuideSnippets

/// A message of `messages.json`, with the key that opens it.
private struct SealedMessage: Decodable {
    let secret: String
    let address: String
    let sealed: String
    let text: String

    enum CodingKeys: String, CodingKey {
        case secret = "receiver_secret"
        case address = "receiver_address"
        case sealed, text
    }

    private struct File: Decodable {
        let sealed: [SealedMessage]

        init(from decoder: any Decoder) throws {
            var list = try decoder.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: .sealed)
            // The first is enough; those that cannot be opened have other members.
            sealed = [try list.decode(SealedMessage.self)]
        }

        enum Key: String, CodingKey { case sealed }
    }

    static func first() throws -> SealedMessage {
        let file = Guide.root.appendingPathComponent("Tests/Fixtures/vectors/messages.json")
        return try #require(JSONDecoder().decode(File.self, from: Data(contentsOf: file)).sealed.first)
    }

    var secretBytes: [UInt8] {
        stride(from: 0, to: secret.count, by: 2).compactMap { start in
            UInt8(secret.dropFirst(start).prefix(2), radix: 16)
        }
    }
}

@Suite("The example app", .timeLimit(.minutes(5)))
struct ExampleAppTests {
    private static let sender = "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"
    private static let transaction = String(repeating: "ab", count: 32)
    private static let now: Int64 = 1_767_225_600_000
    private static let challenge =
        #"{"nonce":"a35ca09dad9d987b024b6a72b45c9307","issued_at_ms":1767225600000,"expires_at_ms":1767225660000}"#

    private let folder: TemporaryFolder
    private let message: SealedMessage
    private let secrets: MemorySecrets
    private let messages = MemoryMessages()

    init() throws {
        folder = try TemporaryFolder()
        message = try SealedMessage.first()
        secrets = MemorySecrets(wallet: message.secretBytes)
    }

    private static func push(payload: String?, type: String = "contextual_message") throws -> PushPayload {
        let text = payload.map { "\"\($0)\"" } ?? "null"
        return try PushPayload(
            json: Array(
                #"""
                {"aps":{"alert":{"title":"New Message","body":"From somebody"},"mutable-content":1},"kasia":{"type":"\#(type)",
                "txId":"\#(transaction)","sender":"\#(sender)","payload":\#(text),"timestamp":1767225600000,"seq":1}}
                """#.utf8))
    }

    private func row() -> String {
        #"""
        {"kind":"contextual_message","tx_id":"\#(Self.transaction)","sender":"\#(Self.sender)","alias":"00",
        "alias_text":null,"block_time":1767225600000,"accepting_block":null,"accepting_daa_score":null,
        "message_payload":"\#(message.sealed)"}
        """#
    }

    private func reader(_ transport: ModelTransport) async throws -> PushReader {
        try PushReader(
            client: transport.client, secrets: secrets, store: await PushStore.open(path: folder.storePath))
    }

    private func app(_ transport: ModelTransport) async throws -> AppPush {
        try await AppPush(
            client: transport.client, secrets: secrets, messages: messages, folder: folder.url,
            storePath: folder.storePath, environment: .quick())
    }

    private static func shown(_ decision: NotificationDecision) throws -> ComposedNotification {
        guard case .show(let notification) = decision else { throw CocoaError(.featureUnsupported) }
        return notification
    }

    @Test("the wallet's address is that of its secret")
    func wallet() throws {
        let wallet = try #require(try Wallet.read(secrets))
        #expect(wallet.address == message.address)
        #expect(try Wallet.read(MemorySecrets(wallet: nil)) == nil)
        #expect(try Wallet.read(MemorySecrets(wallet: [1])) == nil)
    }

    @Test("a push is shown as it was written, under the contact's name, and the app gets it once")
    func shownAndHandedOver() async throws {
        let transport = ModelTransport { _, _ in nil }
        let reader = try await reader(transport)
        try await reader.store.contacts.save(Contact(address: Self.sender, name: "Ada"))
        for _ in 0..<2 {
            let decision = await reader.decide(try Self.push(payload: message.sealed), now: Self.now)
            let shown = try Self.shown(decision)
            #expect(shown.title == "Ada")
            #expect(shown.body == message.text)
        }
        let inbox = try await app(transport).inbox
        #expect(try await inbox.take(now: Self.now) == 0)
        #expect(messages.saved.now.map(\.text) == [message.text])
        #expect(messages.saved.now.map(\.sender) == [Self.sender])
        #expect(try await inbox.take(now: Self.now) == 0)
        #expect(messages.saved.now.count == 1)
        #expect(transport.asked.now.isEmpty)
    }

    @Test("what does not fit into a push is fetched for the notification")
    func fetched() async throws {
        let row = row()
        let transport = ModelTransport { _, _ in (200, row) }
        let decision = try await reader(transport).decide(try Self.push(payload: nil), now: Self.now)
        #expect(try Self.shown(decision).body == message.text)
        #expect(transport.asked.now.map(\.path) == ["/v1/messages/\(Self.transaction)"])
    }

    @Test("without a network the notification says that there is a message, and the app fetches it later")
    func fetchedLater() async throws {
        let row = row()
        let isOnline = Box(false)
        let transport = ModelTransport { _, _ in isOnline.now ? (200, row) : nil }
        let decision = try await reader(transport).decide(try Self.push(payload: nil), now: Self.now)
        #expect(try Self.shown(decision).body == NotificationWords().newMessage)
        let inbox = try await app(transport).inbox
        _ = try await inbox.take(now: Self.now)
        #expect(messages.saved.now.isEmpty)
        isOnline.use { $0 = true }
        _ = try await inbox.take(now: Self.now)
        #expect(messages.saved.now.map(\.text) == [message.text])
    }

    @Test(
        "a message that the service does not have is postponed for an hour, then kept without its text",
        arguments: [(3_599_999 as Int64, 0), (3_600_000, 1), (3_600_001, 1)])
    func unknown(age: Int64, count: Int) async throws {
        let transport = ModelTransport { _, _ in (404, #"{"error":"Not found.","code":"not_found"}"#) }
        _ = try await reader(transport).decide(try Self.push(payload: nil), now: Self.now)
        _ = try await app(transport).inbox.take(now: Self.now + age)
        #expect(messages.saved.now.count == count)
        #expect(messages.saved.now.allSatisfy { $0.text == nil })
    }

    @Test(
        "pushes about coins are handed over without a question to the service",
        arguments: ["address_activity", "payment_reverted"])
    func coins(type: String) async throws {
        let transport = ModelTransport { _, _ in (404, #"{"error":"Not found.","code":"not_found"}"#) }
        _ = try await reader(transport).decide(try Self.push(payload: nil, type: type), now: Self.now)
        _ = try await app(transport).inbox.take(now: Self.now)
        #expect(messages.saved.now.map(\.kind) == [type])
        #expect(transport.asked.now.isEmpty)
    }

    @Test("an extension without a signed-in wallet shows pushes as they came")
    func nobody() async throws {
        let store = try await PushStore.open(path: folder.storePath)
        let client = ModelTransport { _, _ in nil }.client
        #expect(throws: PushReader.NotSignedIn.self) {
            try PushReader(client: client, secrets: MemorySecrets(wallet: nil), store: store)
        }
    }

    @Test("what is shared is made once, and tried again after a failure")
    func shared() async throws {
        let tries = Box(0)
        let shared = Shared {
            let number = tries.use { count in
                count += 1
                return count
            }
            guard number > 1 else { throw CocoaError(.fileReadNoPermission) }
            return number
        }
        await #expect(throws: CocoaError.self) { try await shared.value() }
        async let first = shared.value()
        async let second = shared.value()
        #expect(try await [first, second] == [2, 2])
        #expect(tries.now == 2)
    }

    @Test("signing in registers, signing out unregisters, each signed by wallet and device")
    func registration() async throws {
        let transport = ModelTransport { _, path in
            (200, path == "/v1/push/challenge" ? Self.challenge : #"{"status":"ok"}"#)
        }
        let app = try await app(transport)
        try await app.tokenArrived(.apns(Array(repeating: 1, count: 32)))
        try await app.signedIn(message.address, contacts: [Contact(address: Self.sender, name: "Ada")])
        let running = Task { await app.run() }
        let manager = await app.manager
        for await progress in manager.changes where progress.isInEffect { break }
        try await app.signOut()
        for await progress in manager.changes where progress.isInEffect && progress.stage == .done { break }
        running.cancel()
        let changes = transport.asked.now.filter { $0.path != "/v1/push/challenge" }
        #expect(changes.map { "\($0.method) \($0.path)" } == ["POST /v1/push/register", "DELETE /v1/push/unregister"])
        let registered = try #require(changes.first)
        #expect(registered.body["watched_addresses"]?.contains(Self.sender) == true)
        #expect(registered.body["primary_address"] == message.address)
        #expect(registered.body["payload_format"] == "kasia")
        for change in changes {
            let auth = try #require(change.body["auth"])
            #expect(auth.contains(message.address))
            #expect(auth.contains("device_key_v1"))
        }
        #expect(try await AppKeys(secrets: secrets).deviceKeyCounter() == 2)
        #expect(try await app.store.contacts.contacts().isEmpty)
        #expect(try await app.store.connections.pendingSignOuts().isEmpty)
    }

    @Test("what was missed is fetched once, and the lists are read as long as the service asks for it")
    func missed() async throws {
        let (row, other) = (row(), String(repeating: "cd", count: 32))
        let isListed = Box(false)
        let transport = ModelTransport { _, path in
            switch path {
            case "/v1/push/challenge": return (200, Self.challenge)
            case "/v1/push/missed":
                return (
                    200,
                    #"""
                    {"items":[{"seq":1,"type":"contextual_message","tx_id":"\#(Self.transaction)","sender":"\#(Self.sender)",
                    "timestamp":1767225600000}],"latest_seq":1,"oldest_seq":1}
                    """#
                )
            case "/contextual-messages/by-sender":
                let isFirst = isListed.use { wasListed in
                    defer { wasListed = true }
                    return !wasListed
                }
                let listed = row.replacing(Self.transaction, with: other).dropLast() + #","cursor":"c"}"#
                return (200, isFirst ? "[\(listed)]" : "[]")
            case _ where path.hasPrefix("/v1/messages/"):
                return (200, row.replacing(Self.transaction, with: path.split(separator: "/").last ?? ""))
            case _ where path.hasPrefix("/v1/push/"): return (200, #"{"status":"ok"}"#)
            default: return (200, "[]")
            }
        }
        let app = try await app(transport)
        try await app.tokenArrived(.apns(Array(repeating: 1, count: 32)))
        try await app.signedIn(message.address, contacts: [Contact(address: Self.sender)])
        let running = Task { await app.run() }
        let manager = await app.manager
        for await progress in manager.changes where progress.isInEffect { break }
        running.cancel()
        for _ in 0..<2 { try await app.catchUp() }
        #expect(messages.saved.now.map(\.transactionID) == [Self.transaction, other])
        #expect(messages.saved.now.map(\.text) == [message.text, message.text])
        let paths = transport.asked.now.map(\.path)
        #expect(paths.count { $0 == "/contextual-messages/by-sender" } == 2)
        #expect(paths.count { $0 == "/payments/by-receiver" } == 1)
        #expect(paths.count { $0 == "/handshakes/by-receiver" } == 1)
        #expect(await app.gaps.listsToRead == nil)
    }

    @Test("a restarted app goes on from its stored state")
    func stateFiles() async throws {
        let file = StateFile<RegistrationState>(url: folder.url.appendingPathComponent("registration.json"))
        #expect(try file.read() == nil)
        let app = try await app(ModelTransport { _, _ in nil })
        try await app.tokenArrived(.apns(Array(repeating: 1, count: 32)))
        #expect(try file.read() == nil)
        try await app.signedIn(message.address, contacts: [])
        let state = try #require(try file.read())
        try file.write(state)
        #expect(try file.read() == state)
        let next = try await self.app(ModelTransport { _, _ in nil })
        #expect(await next.manager.progress.stage != .notAsked)
    }

    @Test("what was sent is recorded and asked about until it is settled")
    func ledger() async throws {
        let transport = ModelTransport { _, _ in
            (
                200,
                #"{"items":[{"id":"\#(Self.transaction)","type":"payment","status":"confirmed","confirmations":100}]}"#
            )
        }
        let app = try await app(transport)
        try await app.refreshSent(now: Self.now)
        #expect(transport.asked.now.isEmpty)
        try await app.sent(Self.transaction, by: message.address)
        for _ in 0..<2 { try await app.refreshSent(now: milliseconds()) }
        #expect(transport.asked.now.map(\.path) == ["/v1/activity/refresh"])
        #expect(try await app.store.activity.transaction(Self.transaction)?.status == .confirmed)
    }

    @Test("a call is looked up, and one that cannot be read is none")
    func calls() async throws {
        let store = try await reader(ModelTransport { _, _ in nil }).store
        try await store.contacts.save(Contact(address: Self.sender, name: "Ada"))
        let push: [AnyHashable: Any] = [
            "call_id": "0f8fad5b-d9cb-469f-a165-70867728950e", "kind": "invite", "video": true,
            "sender": Self.sender, "timestamp": Int(Self.now), "payload": "beef",
        ]
        let found = call(in: push, contacts: store.contacts, own: message.address, now: UInt64(Self.now))
        #expect(found?.name == "Ada")
        #expect(found?.refusal == nil)
        #expect(call(in: [:], contacts: store.contacts, own: message.address, now: UInt64(Self.now)) == nil)
    }

    @Test("a ring is signed for the caller's wallet")
    func rings() async throws {
        let transport = ModelTransport { _, path in
            (200, path == "/v1/push/challenge" ? Self.challenge : "{}")
        }
        let wallet = try #require(try Wallet.read(secrets))
        let id = try await ring(
            Self.sender, offer: [0xbe, 0xef], isVideo: true, wallet: wallet,
            token: .apns(Array(repeating: 1, count: 32)), client: transport.client)
        let body = try #require(transport.asked.now.last?.body)
        #expect(body["call_id"] == id.uuidString.lowercased())
        #expect(body["payload"] == "beef")
        #expect(body["to_address"] == Self.sender)
        #expect(body["auth"]?.contains(message.address) == true)
    }
}
