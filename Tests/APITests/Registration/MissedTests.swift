import APNs
import Foundation
import HTTPTypes
import HummingbirdTesting
import KasiaProtocol
import Kaspa
import Push
import SampleOperations
import Store
import StoreSupport
import Synchronization
import Testing

@testable import API

@Suite("Missed deliveries")
struct MissedTests {
    static let token = String(repeating: "ab", count: 32)
    static let alice = Address(
        prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: 1, count: 32))

    /// Registers the device and queues a message for it for each of `times`.
    static func service(
        queuedAt times: [UInt64], mode: APIConfiguration.AuthenticationMode = .mixed, sender: Address? = alice,
        readiness: Readiness = Readiness(parts: []), metrics: PrometheusRegistry = PrometheusRegistry(),
        ringing: (any NotificationSender)? = nil
    ) async throws -> TestService {
        let service = try TestService(mode: mode, metrics: metrics, readiness: readiness, sender: ringing)
        let address = try #require(alice)
        let bytes = try #require(Hex.decode(token))
        try await service.store.registry.upsertDevice(DeviceID(token: bytes)) { _ in
            DeviceRecord(token: bytes, platform: .ios, createdAt: 0, lastSeen: 0, watchedAddresses: [address])
        }
        try await service.store.outbox.noteAccepted(DeviceID(token: bytes))
        for (index, time) in times.enumerated() {
            let acceptance = OperationRecord.Acceptance(blockHash: .zero, daaScore: 1, blueScore: 1)
            let operation = OperationRecord(
                transactionID: try #require(
                    Hash(bytes: [UInt8](repeating: UInt8(index % 251), count: 30) + [UInt8(index / 251), 1])),
                kind: .contextualMessage, sender: sender, receiver: nil, amount: 0, blockHash: .zero,
                blockTime: 1_000 + UInt64(index), acceptance: acceptance, payload: [])
            _ = try await service.store.history.apply(
                ChainStep(
                    removed: [], accepted: [AcceptedOperation(operation: operation, notifies: true)],
                    cursor: ChainCursor(blockHash: .zero, daaScore: 1, blueScore: 1, timestamp: 1)),
                now: time, withdrawsUnsent: false)
            _ = try await service.store.outbox.fanOut(
                event: UInt64(index + 1), lists: [.address(address)], limit: 9, ordinaryWatchers: 9, now: time,
                expiresAt: .max
            ) { _, _ in .notify }
        }
        return service
    }

    /// What the device of `everyKind` watches only for funds.
    static let savings = Address(prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: 2, count: 32))

    /// A device that was told of each kind that there is; its plain transfer is transaction 30 of `MessageTests`.
    static func everyKind(
        boundTo wallet: Address? = nil, mode: APIConfiguration.AuthenticationMode = .mixed,
        conditions: StoreConditions? = nil
    ) async throws -> TestService {
        let service = try TestService(mode: mode, conditions: conditions)
        let (messages, savings, bytes) = (try MessageTests(), try #require(savings), try #require(Hex.decode(token)))
        try await service.store.registry.upsertDevice(DeviceID(token: bytes)) { _ in
            DeviceRecord(
                token: bytes, platform: .ios, createdAt: 0, lastSeen: 0, walletAddress: wallet,
                watchedAddresses: [messages.alice], watchOnlyAddresses: [savings])
        }
        let operations = try messages.everyKind().filter { $0.kind != .selfStash } + [messages.inbox()]
        let acceptance = OperationRecord.Acceptance(blockHash: try MessageTests.id(999), daaScore: 77, blueScore: 66)
        let credits = [Funds.Credit(address: messages.bob, amount: 5), .init(address: savings, amount: 7)]
        let transfer = TransferRecord(
            transactionID: try MessageTests.id(30), blockTime: 1_704_067_200_000, acceptance: acceptance,
            funds: Funds(credits: credits, spenders: [messages.alice]), listed: [savings])
        _ = try await service.store.history.apply(
            ChainStep(
                removed: [], accepted: operations.map { AcceptedOperation(operation: $0, notifies: true) },
                transfers: [AcceptedTransfer(transfer, push: .due)],
                cursor: ChainCursor(blockHash: acceptance.blockHash, daaScore: 77, blueScore: 66, timestamp: 1)),
            now: 1_704_067_200_000, withdrawsUnsent: false)
        for event in 1...UInt64(operations.count + 1) {
            _ = try await service.store.outbox.fanOut(
                event: event, lists: [.address(messages.alice)], limit: 9, ordinaryWatchers: 9,
                now: 1_704_067_200_000, expiresAt: .max
            ) { _, _ in .notify }
        }
        return service
    }

    /// The end of an item of `everyKind`, by its transaction.
    private static func ends(tellsFunds: Bool) throws -> [(transaction: Int, end: String)] {
        let funds = tellsFunds ? #","amount":7,"address":"\#(try #require(savings))""# : ""
        return [
            (1, ""), (2, #","amount":125000000"#), (3, ""), (6, #","blinded_group_id":"\#(MessageTests.group)""#),
            (7, ""), (8, ""), (20, #","inbox":true"#), (30, funds),
        ]
    }

    private static func expectItems(
        _ text: String, tellsFunds: Bool, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let ends = try ends(tellsFunds: tellsFunds)
        #expect(text.matches(of: /"seq":/).count == ends.count, "\(text)", sourceLocation: location)
        for (transaction, end) in ends {
            let item =
                #""tx_id":"\#(try MessageTests.id(transaction))","sender":"\#(try MessageTests().alice)","#
                + #""timestamp":1704067200000"# + end + "}"
            #expect(text.contains(item), "\(transaction): \(text)", sourceLocation: location)
        }
    }

    @Test("Items say what their pushes said: amounts, addresses, groups and whether it was for the inbox")
    func everyMember() async throws {
        try await Self.everyKind().run { client in
            try Self.expectItems(try await Self.get(client, "").text, tellsFunds: true)
            try Self.expectItems(try await Self.post(client).text, tellsFunds: true)
        }
    }

    @Test(
        "Which addresses a bound device watches for funds is told to its wallet's signature alone",
        arguments: ["legacy", "mixed", "strict"])
    func fundsOfABoundDevice(mode: String) async throws {
        let (owner, mode) = (try TestWallet("owner"), try #require(APIConfiguration.AuthenticationMode(rawValue: mode)))
        try await Self.everyKind(boundTo: owner.address, mode: mode).run { client in
            try Self.expectItems(try await Self.signed(by: owner, client).text, tellsFunds: true)
            guard mode != .strict else { return }
            try Self.expectItems(try await Self.get(client, "").text, tellsFunds: false)
            try Self.expectItems(try await Self.post(client).text, tellsFunds: false)
        }
    }

    @Test("The store is read on the threads that are for reading")
    func threads() async throws {
        let places = Mutex<[Bool]>([])
        let conditions = StoreConditions(before: { step in
            if step == .read { places.withLock { $0.append(ReadThreads.isCurrent) } }
        })
        try await Self.everyKind(conditions: conditions).run { client in
            for isPost in [false, true] {
                places.withLock { $0 = [] }
                _ = isPost ? try await Self.post(client) : try await Self.get(client, "")
                let seen = places.withLock { $0 }
                #expect(!seen.isEmpty && seen.allSatisfy(\.self))
            }
        }
    }

    @Test("Who has read enough is 429 with Retry-After")
    func allowance() async throws {
        // Each look at the clock takes eight seconds, and so does a read.
        try await TestService(rateLimitPerMinute: 60, tick: .seconds(8)).run { client in
            try expect(try await Self.get(client, ""), .notFound, "not registered")
            let answer = try await Self.get(client, "")
            try expect(answer, .tooManyRequests, "too many reads from this address")
            #expect(answer.headers[.retryAfter] != nil)
        }
    }

    private static func get(_ client: any TestClientProtocol, _ query: String) async throws -> TestResponse {
        try await client.execute(uri: "/v1/push/missed?device_token=\(token)\(query)", method: .get)
    }

    private static func seqs(_ response: TestResponse) -> [Int] {
        response.text.matches(of: /"seq":(\d+)/).compactMap { Int($0.1) }
    }

    private static func expectSeqs(
        _ client: any TestClientProtocol, _ query: String, _ expected: [Int],
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let response = try await get(client, query)
        #expect(seqs(response) == expected, "\(query)", sourceLocation: location)
    }

    @Test("An item has exactly these members, and no payload", arguments: [true, false])
    func item(senderIsKnown: Bool) async throws {
        let service = try await Self.service(
            queuedAt: [1_704_067_200_000], sender: senderIsKnown ? Self.alice : nil)
        let known = try #require(Self.alice).description
        let sender = senderIsKnown ? known : ""
        try await service.run { client in
            let response = try await Self.get(client, "")
            #expect(response.status == .ok)
            #expect(
                response.text == #"{"items":[{"seq":1,"type":"contextual_message","tx_id":""#
                    + String(repeating: "00", count: 31) + #"01","sender":""# + sender
                    + #"","timestamp":1000}],"latest_seq":1,"oldest_seq":1}"#)
        }
    }

    @Test("A device that was told nothing gets nothing; one that is not registered is 404")
    func nothing() async throws {
        let service = try await Self.service(queuedAt: [])
        try await service.run { client in
            #expect(try await Self.get(client, "").text == #"{"items":[],"latest_seq":0,"oldest_seq":null}"#)
            let other = try await client.execute(
                uri: "/v1/push/missed?device_token=\(String(repeating: "cd", count: 32))", method: .get)
            try expect(other, .notFound, "not registered")
        }
    }

    @Test("At most 100 items, which is also the default", arguments: [99, 100, 101])
    func limits(count: Int) async throws {
        let service = try await Self.service(queuedAt: [UInt64](repeating: 1_704_067_200_000, count: count))
        try await service.run { client in
            for query in ["", "&limit=100", "&limit=101", "&limit=99999999999999999999999"] {
                try await Self.expectSeqs(client, query, Array(1...min(count, 100)))
            }
            for limit in [1, 98, 99] {
                try await Self.expectSeqs(client, "&limit=\(limit)", Array(1...limit))
            }
            try await Self.expectSeqs(client, "&after=\(count - 1)", [count])
            try await Self.expectSeqs(client, "&after=\(count)", [])
            try await Self.expectSeqs(client, "&after=18446744073709551615", [])
            let last = try await Self.get(client, "&after=7&limit=1").text
            #expect(last.contains("\"latest_seq\":\(count)"))
        }
    }

    @Test("Kept for seven days, to the millisecond")
    func age() async throws {
        let now: UInt64 = 1_704_067_200_999
        let week: UInt64 = 7 * 86_400_000
        let service = try await Self.service(queuedAt: [now - week - 1, now - week, now - week + 1])
        try await service.run { client in
            let response = try await Self.get(client, "")
            #expect(Self.seqs(response) == [2, 3])
            #expect(response.text.hasSuffix(#""latest_seq":3,"oldest_seq":2}"#))
        }
    }

    @Test(
        "What is not a number is refused",
        arguments: [
            ("&limit=0", "limit"), ("&limit=00", "limit"), ("&limit=-1", "limit"), ("&limit=", "limit"),
            ("&limit=1.5", "limit"), ("&limit=x", "limit"), ("&limit=%2B1", "limit"), ("&after=-1", "after"),
            ("&after=", "after"), ("&after=18446744073709551616", "after"), ("&after=1x", "after"),
            ("&after=%D9%A1", "after"),
        ])
    func badNumbers(query: String, member: String) async throws {
        let service = try await Self.service(queuedAt: [])
        try await service.run { client in try expect(try await Self.get(client, query), .badRequest, member) }
    }

    @Test("The token is needed, and read as everywhere")
    func tokens() async throws {
        let service = try await Self.service(queuedAt: [])
        try await service.run { client in
            let missing = try await client.execute(uri: "/v1/push/missed", method: .get)
            try expect(missing, .badRequest, "device_token is missing")
            let short = try await client.execute(uri: "/v1/push/missed?device_token=ab", method: .get)
            try expect(short, .badRequest, "64 to 512")
            let spelled = try await client.execute(
                uri: "/v1/push/missed?device_token=%3C\(Self.token.uppercased())%3E", method: .get)
            #expect(spelled.status == .ok)
        }
    }

    private static let uri = "/v1/push/missed"

    /// A POST with these members beside the token.
    private static func post(
        _ client: any TestClientProtocol, _ members: [String: Any] = [:]
    ) async throws -> TestResponse {
        try await client.send(.post, uri, members.merging(["device_token": token]) { $1 })
    }

    /// The same, signed.
    private static func signed(
        by wallet: TestWallet, _ client: any TestClientProtocol, _ members: [String: Any] = [:],
        token: String = token
    ) async throws -> TestResponse {
        var request = try await client.challenged(wallet, .post, uri)
        request.token = token
        return try await client.send(.post, uri, try request.body().merging(members) { $1 })
    }

    @Test("In strict mode nobody reads without a signature; by POST the bound wallet does, and nobody else")
    func strict() async throws {
        let service = try await Self.service(queuedAt: [1_704_067_200_000, 1_704_067_200_001], mode: .strict)
        let (owner, thief) = (try TestWallet("owner"), try TestWallet("thief"))
        try await service.run { client in
            try expect(try await Self.get(client, ""), .unauthorized, "auth is required: send it with POST")
            try expect(try await Self.post(client), .unauthorized, "auth is required")
            try expect(try await Self.signed(by: owner, client), .unauthorized, "bound to no wallet")
            expectDone(try await client.registerSigned(owner, token: Self.token))
            #expect(Self.seqs(try await Self.signed(by: owner, client)) == [1, 2])
            #expect(Self.seqs(try await Self.signed(by: owner, client, ["after": 1])) == [2])
            #expect(Self.seqs(try await Self.signed(by: owner, client, ["limit": 1])) == [1])
            try expect(try await Self.signed(by: thief, client), .unauthorized, "bound to another wallet")
            try expect(
                try await Self.signed(by: owner, client, token: String(repeating: "cd", count: 32)), .notFound,
                "not registered")
            // Signed for the status, sent as this: the path is covered.
            var other = try await client.challenged(owner, .post, "/v1/push/status")
            other.token = Self.token
            try expect(
                try await client.send(.post, Self.uri, try other.body()), .unauthorized, "signature is not valid")
        }
    }

    @Test("Elsewhere POST says what GET says, with a signature or without", arguments: ["legacy", "mixed"])
    func openPost(mode: String) async throws {
        let service = try await Self.service(
            queuedAt: [1_704_067_200_000, 1_704_067_200_001], mode: try #require(.init(rawValue: mode)))
        try await service.run { client in
            let expected = try await Self.get(client, "&after=1&limit=5").text
            #expect(Self.seqs(try await Self.get(client, "&after=1&limit=5")) == [2])
            #expect(try await Self.post(client, ["after": 1, "limit": 5]).text == expected)
            var request = try await client.challenged(try TestWallet("owner"), .post, Self.uri)
            request.token = Self.token
            let body = try request.body().merging(["after": 1, "limit": 5]) { $1 }
            #expect(try await client.send(.post, Self.uri, body).text == expected)
            let other = try await client.send(
                .post, Self.uri, ["device_token": String(repeating: "cd", count: 32)])
            try expect(other, .notFound, "not registered")
        }
    }

    @Test("A POST has at most 100 items too", arguments: [99, 100, 101])
    func postLimits(count: Int) async throws {
        let service = try await Self.service(queuedAt: [UInt64](repeating: 1_704_067_200_000, count: count))
        try await service.run { client in
            let unlimited = try await Self.post(client)
            #expect(Self.seqs(unlimited) == Array(1...min(count, 100)))
            for limit in [99, 100, 101, Int.max] {
                let response = try await Self.post(client, ["limit": limit])
                #expect(Self.seqs(response) == Array(1...min(count, limit, 100)))
            }
            #expect(Self.seqs(try await Self.post(client, ["after": UInt64.max])).isEmpty)
        }
    }

    @Test(
        "A POST's numbers are numbers",
        arguments: [
            (#""limit":0"#, "limit"), (#""limit":-1"#, "limit"), (#""limit":"5""#, "limit"), (#""limit":1.5"#, "limit"),
            (#""after":-1"#, "after"), (#""after":18446744073709551616"#, "after"), (#""after":[]"#, "after"),
        ])
    func badPostNumbers(member: String, name: String) async throws {
        let service = try await Self.service(queuedAt: [])
        try await service.run { client in
            let body = #"{"device_token":""# + Self.token + #"","# + member + "}"
            try expect(try await client.send(.post, Self.uri, bytes: Array(body.utf8)), .badRequest, name)
        }
    }
}
