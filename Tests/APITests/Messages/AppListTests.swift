import Foundation
import HTTPTypes
import HummingbirdTesting
import KasiaProtocol
import Kaspa
import Store
import Testing

@testable import API

/// The lists in the format of the KaChat apps (app developer guide, "Lists for the KaChat apps").
@Suite("What the KaChat apps fetch")
struct AppListTests {
    private typealias Object = [String: Any]

    private let messages: MessageTests
    private var alice: Address { messages.alice }
    private var bob: Address { messages.bob }

    init() throws {
        messages = try MessageTests()
    }

    private func object(_ response: TestResponse, _ location: SourceLocation = #_sourceLocation) throws -> Object {
        #expect(response.status == .ok, "\(response.text)", sourceLocation: location)
        return try #require(
            JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? Object, sourceLocation: location)
    }

    private static func times(_ rows: Any?, _ member: String = "block_time") -> [Int] {
        (rows as? [Object] ?? []).compactMap { $0[member] as? Int }
    }

    // MARK: Inboxes and single messages

    private static let tag = MessageTests.tag

    /// Messages to Bob's inbox at these times, numbered from 1.
    private func inbox(_ times: [UInt64]) throws -> [OperationRecord] {
        try times.enumerated().map {
            try messages.operation($0 + 1, .contextualMessage, "dm:\(Self.tag):ab:text\($0)", time: $1)
        }
    }

    @Test("An inbox has the rows of by-sender, with their sender, later than a time")
    func inboxRows() async throws {
        let service = try await messages.service(try inbox([10, 20, 20, 30]))
        let (messages, alice) = (messages, alice)
        try await service.run { client in
            let bySender = try await messages.items(client, "/contextual-messages/by-sender?address=\(alice)")
            let inbox = try await messages.items(client, "/contextual-messages/by-inbox?tag=\(Self.tag)")
            #expect(inbox.count == 4 && inbox as NSArray == bySender as NSArray)
            #expect(inbox.allSatisfy { $0["sender"] as? String == alice.description })
            for (query, times) in [
                ("block_time=0", [10, 20, 20, 30]), ("block_time=9", [10, 20, 20, 30]),
                ("block_time=10", [20, 20, 30]),
                ("block_time=30", []), ("block_time=18446744073709551615", []), ("limit=1", [10]),
                ("limit=2", [10, 20, 20]), ("limit=3&block_time=0", [10, 20, 20]), ("limit=4", [10, 20, 20, 30]),
            ] {
                let uri = "/contextual-messages/by-inbox?tag=\(Self.tag)&\(query)"
                #expect(Self.times(try await messages.items(client, uri)) == times, "\(query)")
            }
            let upper = "/contextual-messages/by-inbox?tag=\(Self.tag.uppercased())"
            #expect(try await messages.items(client, upper).count == 4)
            // What the apps ask to learn whether the server knows inboxes.
            let probe = "/contextual-messages/by-inbox?tag=\(String(repeating: "0", count: 32))&limit=1"
            #expect(try await messages.items(client, probe).isEmpty)
            for digits in [0, 30, 31, 33, 34, 64] {
                let uri = "/contextual-messages/by-inbox?tag=\(String(repeating: "a", count: digits))"
                try expect(try await client.execute(uri: uri, method: .get), .badRequest, "tag must be 32 hex digits")
            }
            for uri in ["", "?tag=\(String(repeating: "g", count: 32))", "?tag=\(Self.tag)&limit=0"] {
                let response = try await client.execute(uri: "/contextual-messages/by-inbox\(uri)", method: .get)
                #expect(response.status == .badRequest)
            }
        }
    }

    @Test("An inbox's page has 100 rows, at most 500: an app stops at a page shorter than it asked for")
    func inboxLimit() async throws {
        let service = try await messages.service(try inbox((1...501).map { UInt64($0) * 10 }))
        let messages = messages
        try await service.run { client in
            let uri = "/contextual-messages/by-inbox?tag=\(Self.tag)"
            for (limit, count) in [("", 100), ("&limit=499", 499), ("&limit=500", 500), ("&limit=501", 500)] {
                let rows = try await messages.items(client, uri + limit)
                #expect(rows.count == count, "\(limit)")
            }
            let rest = try await messages.items(client, uri + "&limit=500&block_time=5000")
            #expect(rest.count == 1)
        }
    }

    @Test("A contextual message is found by its transaction, and nothing else is")
    func byTransaction() async throws {
        let service = try await messages.service(try messages.everyKind() + [messages.inbox()])
        let (messages, alice) = (messages, alice)
        try await service.run { client in
            let rows = try await messages.items(client, "/contextual-messages/by-sender?address=\(alice)")
            for (number, row) in zip([3, 20], rows) {
                let uri = "/contextual-messages/by-txid?tx_id=\(try MessageTests.id(number))"
                #expect(
                    try object(try await client.execute(uri: uri, method: .get)) as NSDictionary == row as NSDictionary)
            }
            for number in [1, 2, 4, 5, 6, 7, 8, 99] {
                let uri = "/contextual-messages/by-txid?tx_id=\(try MessageTests.id(number))"
                try expect(try await client.execute(uri: uri, method: .get), .notFound, "no contextual message")
            }
            for query in ["", "?tx_id=", "?tx_id=ab", "?tx_id=\(String(repeating: "a", count: 66))"] {
                let uri = "/contextual-messages/by-txid\(query)"
                try expect(try await client.execute(uri: uri, method: .get), .badRequest, "tx_id")
            }
        }
    }

    // MARK: Groups

    private static func group(_ number: Int) -> String { Hex.encode([UInt8](repeating: UInt8(number), count: 32)) }

    /// Group messages numbered from `first`, at times of their own.
    private func groupMessages(_ group: Int, first: Int, times: [UInt64]) throws -> [OperationRecord] {
        try times.enumerated().map {
            try messages.operation(
                first + $0, .groupMessage, "gcomm:\(MessageTests.sealed(for: Self.group(group)))", time: $1)
        }
    }

    private static let batch = "/group-messages/by-blinded-group-ids"
    private static let since = "/group-messages/since"
    private static let controlSince = "/group-control/since"

    @Test("Each query of a batch answers what the GET answers")
    func batch() async throws {
        let service = try await messages.service(
            try groupMessages(1, first: 100, times: (1...60).map { $0 * 10 })
                + groupMessages(2, first: 300, times: [5, 5, 7]))
        let messages = messages
        try await service.run { client in
            let get = "/group-messages/by-blinded-group-id?blinded_group_id="
            let cursor = try #require(
                try await messages.items(client, get + Self.group(1) + "&limit=7").last?["cursor"] as? String)
            let queries: [(Object, String)] = [
                (["blindedGroupId": Self.group(1)], Self.group(1)),
                (["blindedGroupId": Self.group(1), "cursor": NSNull(), "limit": 50], Self.group(1) + "&limit=50"),
                (
                    ["blindedGroupId": Self.group(1), "cursor": cursor, "limit": 51],
                    "\(Self.group(1))&limit=51&cursor=\(cursor)"
                ),
                (["blindedGroupId": Self.group(2), "cursor": "", "limit": 2], Self.group(2) + "&limit=2"),
                (["blindedGroupId": Self.group(3).uppercased(), "limit": NSNull()], Self.group(3)),
            ]
            let answer = try object(try await client.send(.post, Self.batch, ["queries": queries.map(\.0)]))
            let results = try #require(answer["results"] as? [Object])
            #expect(answer.count == 1 && results.count == queries.count)
            for ((query, uri), result) in zip(queries, results) {
                #expect(result["blindedGroupId"] as? String == query["blindedGroupId"] as? String)
                let rows = try await messages.items(client, get + uri)
                #expect(try #require(result["messages"] as? [Object]) as NSArray == rows as NSArray, "\(uri)")
            }
            #expect((results[1]["messages"] as? [Object])?.count == 50)
        }
    }

    @Test("A batch has 64 queries at most, and once its pages are large the rest are empty")
    func batchLimits() async throws {
        let large = try (0..<5).map { number in
            let sealed = MessageTests.sealed(for: Self.group(number))
                .replacing(":ab:", with: ":" + String(repeating: "ab", count: 1 << 19) + ":")
            return try messages.operation(100 + number, .groupMessage, "gcomm:\(sealed)")
        }
        try await (try await messages.service(large)).run { client in
            func query(_ number: Int) -> Object { ["blindedGroupId": Self.group(number)] }
            for count in 63...65 {
                let response = try await client.send(.post, Self.batch, ["queries": (0..<count).map(query)])
                guard count > 64 else {
                    #expect((try object(response)["results"] as? [Object])?.count == count)
                    continue
                }
                try expect(response, .badRequest, "queries has 65 entries; at most 64 are allowed")
            }
            let answer = try object(try await client.send(.post, Self.batch, ["queries": (0..<5).map(query)]))
            let counts = (answer["results"] as? [Object])?.map { ($0["messages"] as? [Object])?.count }
            // Each has a little more than 1 MiB.
            #expect(counts == [1, 1, 1, 1, 0])
            let rest = try object(try await client.send(.post, Self.batch, ["queries": [query(4)]]))
            #expect(((rest["results"] as? [Object])?.first?["messages"] as? [Object])?.count == 1)
        }
    }

    @Test("What is new in many groups comes in order, each row once, and no time is cut apart")
    func groupsSince() async throws {
        let service = try await messages.service(
            try groupMessages(1, first: 100, times: [10, 20, 40]) + groupMessages(2, first: 200, times: [20, 30])
                + groupMessages(3, first: 300, times: [15]))
        try await service.run { client in
            let ids = [1, 2, 2, 9, 1].map(Self.group)
            for (since, limit, times, latest) in [
                (0, 200, [10, 20, 20, 30, 40], 40), (10, 200, [20, 20, 30, 40], 40), (40, 200, [], 40), (99, 1, [], 99),
                (0, 1, [10], 10), (0, 2, [10], 10), (0, 3, [10, 20, 20], 20), (10, 1, [20, 20], 20), (20, 1, [30], 30),
            ] {
                let body: Object = ["blindedGroupIds": ids, "sinceBlockTime": since, "limit": limit]
                let answer = try object(try await client.send(.post, Self.since, body))
                #expect(Self.times(answer["messages"]) == times, "\(since), \(limit)")
                #expect(answer["latestBlockTime"] as? Int == latest && answer.count == 2)
            }
            let answer = try object(try await client.send(.post, Self.since, ["blindedGroupIds": ids]))
            let first = try #require((answer["messages"] as? [Object])?.first)
            #expect(first["blinded_group_id"] as? String == Self.group(1) && first["tx_id"] != nil)
            let none: Object = ["blindedGroupIds": [String](), "sinceBlockTime": 7]
            #expect(try await client.send(.post, Self.since, none).text == #"{"messages":[],"latestBlockTime":7}"#)
        }
    }

    @Test("A page of what is new has 200 rows, at most 500")
    func sinceLimits() async throws {
        let service = try await messages.service(
            try groupMessages(1, first: 100, times: (1...501).map { $0 * 10 }))
        try await service.run { client in
            for (limit, count) in [(nil, 200), (1, 1), (499, 499), (500, 500), (501, 500)] as [(Int?, Int)] {
                var body: Object = ["blindedGroupIds": [Self.group(1)], "sinceBlockTime": 0]
                body["limit"] = limit
                let answer = try object(try await client.send(.post, Self.since, body))
                #expect(
                    Self.times(answer["messages"]).count == count && answer["latestBlockTime"] as? Int == count * 10)
            }
        }
    }

    @Test("What is new of group control is sent by the senders or addressed to the recipient")
    func controlSince() async throws {
        let key = try #require(bob.xOnlyPublicKey)
        let addressed = "gctl:\(Hex.encode(key)):ab"
        let operations = try [
            messages.operation(1, .groupControl, "gctl:ab", time: 10),
            messages.operation(2, .groupControl, addressed, time: 20),
            messages.operation(3, .groupControl, addressed, time: 30, from: bob),
            messages.operation(4, .groupControl, "gctl:\(MessageTests.key):ab", time: 40, from: bob),
        ]
        let service = try await messages.service(operations)
        let (alice, bob, script) = (alice.description, bob.description, try script().description)
        try await service.run { client in
            for (body, times) in [
                (["senders": [alice], "recipient": bob], [10, 20, 30]), (["senders": [alice, alice]], [10, 20]),
                (["senders": [String](), "recipient": bob], [20, 30]), (["recipient": bob], [20, 30]),
                (["senders": [alice, bob], "recipient": NSNull()], [10, 20, 30, 40]),
                (["senders": [alice, bob], "recipient": bob, "sinceBlockTime": 10, "limit": 2], [20, 30]),
                (["senders": NSNull(), "recipient": alice], []),
            ] as [(Object, [Int])] {
                let answer = try object(try await client.send(.post, Self.controlSince, body))
                #expect(Self.times(answer["controls"]) == times, "\(body)")
                let latest = times.last ?? 0
                #expect(answer["latestBlockTime"] as? Int == latest && answer.count == 2)
            }
            for (body, sentence) in [
                ([:], "give senders, a recipient, or both"), (["senders": [String]()], "give senders, a recipient"),
                (["recipient": script], "script's address"),
                (["senders": [alice, "x"]], "senders[1] \"x\" is not valid"),
                (["senders": [alice, 1]], "senders[1] must be a string"),
                (["senders": alice], "senders must be a list"),
                (["recipient": 1], "recipient must be a string"), (["recipient": "x"], "recipient \"x\" is not valid"),
            ] as [(Object, String)] {
                try expect(try await client.send(.post, Self.controlSince, body), .badRequest, sentence)
            }
        }
    }

    private func script() throws -> Address {
        try #require(Address(prefix: .kaspa, version: .scriptHash, payload: [UInt8](repeating: 3, count: 32)))
    }

    @Test("What is wrong with a POST is named, and 256 lists are the most")
    func wrongBodies() async throws {
        let group = Self.group(1)
        try await TestService().run { client in
            for (path, body, sentence) in [
                (Self.batch, [:], "queries is missing"), (Self.batch, ["queries": 1], "queries must be a list"),
                (Self.batch, ["queries": [1]], "queries[0] must be an object"),
                (Self.batch, ["queries": [[:]]], "queries[0].blindedGroupId is missing"),
                (
                    Self.batch, ["queries": [["blindedGroupId": group + "0"]]],
                    "queries[0].blindedGroupId must be 64 hex"
                ),
                (
                    Self.batch, ["queries": [["blindedGroupId": group, "cursor": "00"]]],
                    "queries[0].cursor is none of ours"
                ),
                (
                    Self.batch, ["queries": [["blindedGroupId": group, "limit": 0]]],
                    "queries[0].limit must be a positive"
                ),
                (
                    Self.batch, ["queries": [["blindedGroupId": group, "limit": -1]]],
                    "queries[0].limit must be a whole"
                ),
                (Self.since, [:], "blindedGroupIds is missing"),
                (
                    Self.since, ["blindedGroupIds": [group, String(group.dropLast())]],
                    "blindedGroupIds[1] must be 64 hex"
                ),
                (Self.since, ["blindedGroupIds": [group], "limit": 0], "limit must be a positive number"),
                (Self.since, ["blindedGroupIds": [group], "limit": "1"], "limit must be a whole number"),
                (
                    Self.since, ["blindedGroupIds": [group], "sinceBlockTime": -1],
                    "sinceBlockTime must be a whole number"
                ),
                (
                    Self.since, ["blindedGroupIds": [group], "sinceBlockTime": 0.5],
                    "sinceBlockTime must be a whole number"
                ),
            ] as [(String, Object, String)] {
                try expect(try await client.send(.post, path, body), .badRequest, sentence)
            }
            let addresses = try addresses(257)
            for count in 255...257 {
                let ids = (0..<count).map {
                    Hex.encode([UInt8($0 >> 8), UInt8($0 & 255)] + [UInt8](repeating: 0, count: 30))
                }
                for (path, name, list) in [
                    (Self.since, "blindedGroupIds", ids),
                    (Self.controlSince, "senders", Array(addresses.prefix(count))),
                ] {
                    let response = try await client.send(.post, path, [name: list])
                    if count <= 256 {
                        _ = try object(response)
                    } else {
                        try expect(response, .badRequest, "\(name) has 257 entries; at most 256 are allowed")
                    }
                }
            }
            // The largest of the calls fits in the 64 KiB that a body may have.
            let all: Object = [
                "senders": Array(addresses.prefix(256)), "recipient": addresses[0], "sinceBlockTime": UInt64.max,
            ]
            #expect(try JSONSerialization.data(withJSONObject: all).count < APILimits.bodyBytes / 2)
            let response = try await client.send(.post, Self.controlSince, all)
            #expect(response.text == #"{"controls":[],"latestBlockTime":18446744073709551615}"#)
        }
    }

    @Test("Lists of group control take the apps' names of their parameter, and its other one")
    func controlParameters() async throws {
        let service = try await messages.service(try messages.everyKind())
        let (messages, alice) = (messages, alice)
        let key = try #require(Hex.decode(MessageTests.key))
        let recipient = try #require(Address(prefix: .kaspa, version: .schnorr, payload: key))
        let script = try script()
        try await service.run { client in
            for query in [
                "by-sender?sender=\(alice)", "by-sender?address=\(alice)", "by-recipient?recipient=\(recipient)",
                "by-recipient?address=\(recipient)", "by-sender?sender=\(alice)&address=x",
            ] {
                let rows = try await messages.items(client, "/group-control/\(query)")
                #expect(rows.count == 1 && rows.first?["recipient"] as? String == recipient.description, "\(query)")
                #expect(rows.first?["recipient_key"] as? String == MessageTests.key)
            }
            for (query, sentence) in [
                ("by-sender", "sender is missing"), ("by-recipient", "recipient is missing"),
                ("by-sender?sender=x", "sender \"x\" is not valid"),
                ("by-sender?address=x", "address \"x\" is not valid"),
                ("by-recipient?recipient=\(script)", "script's address"),
            ] {
                let response = try await client.execute(uri: "/group-control/\(query)", method: .get)
                try expect(response, .badRequest, sentence)
            }
        }
    }

    @Test("Group control that is addressed to nobody has no recipient")
    func unaddressed() async throws {
        let service = try await messages.service([try messages.operation(1, .groupControl, "gctl:ab")])
        let (messages, alice) = (messages, alice)
        try await service.run { client in
            let row = try #require(try await messages.items(client, "/group-control/by-sender?sender=\(alice)").first)
            #expect(row["recipient"] is NSNull && row["recipient_key"] is NSNull)
        }
    }

    // MARK: Broadcasts

    @Test("Broadcasts are as the apps read them, newest first")
    func broadcasts() async throws {
        let reply = #"{"type":"reply","reference":{"id":"x"},"text":"a:b"}"#
        var broken = try messages.operation(3, .broadcast, "bcast:news:", time: 30)
        broken.payload += [0x61, 0xff]
        let service = try await messages.service([
            try messages.operation(1, .broadcast, "bcast:news:hi", time: 10),
            try messages.operation(2, .broadcast, "bcast:News:\(reply)", time: 20), broken,
        ])
        let alice = alice
        try await service.run { client in
            func page(_ query: String) async throws -> Object {
                try object(try await client.execute(uri: "/get-broadcasts?\(query)", method: .get))
            }
            let all = try await page("channel=news")
            #expect(all.count == 2 && all["hasMore"] as? Bool == false)
            let expected: [Object] = try [(3, "a\u{fffd}", 30), (2, reply, 20), (1, "hi", 10)].map {
                [
                    "txId": try MessageTests.id($0).description, "channel": "news", "senderAddress": alice.description,
                    "content": $1, "blockTime": $2,
                ]
            }
            #expect(try #require(all["messages"] as? [Object]) as NSArray == expected as NSArray)
            for (query, times, hasMore) in [
                ("limit=1", [30], true), ("limit=2", [30, 20], true), ("limit=3", [30, 20, 10], false),
                ("before=30", [20, 10], false), ("before=20&limit=1", [10], false), ("before=10", [], false),
                ("before=0", [], false),
            ] {
                let answer = try await page("channel=news&\(query)")
                #expect(Self.times(answer["messages"], "blockTime") == times, "\(query)")
                #expect(answer["hasMore"] as? Bool == hasMore, "\(query)")
            }
            #expect(Self.times(try await page("channel=%20NEWS")["messages"], "blockTime").count == 3)
            for channel in ["other", "", "%20", "a:b", "a%20b", String(repeating: "a", count: 37), "%ff"] {
                let response = try await client.execute(uri: "/get-broadcasts?channel=\(channel)", method: .get)
                #expect(response.text == #"{"messages":[],"hasMore":false}"#, "\(channel): \(response.text)")
            }
            for (query, sentence) in [
                ("", "channel is missing"), ("channel=news&limit=0", "limit must be a positive number"),
                ("channel=news&before=x", "before must be milliseconds"), ("channel=:&before=x", "before must be"),
            ] {
                let response = try await client.execute(uri: "/get-broadcasts?\(query)", method: .get)
                try expect(response, .badRequest, sentence)
            }
        }
    }

    @Test("A page of broadcasts has 200 rows, at most 500, and pages are followed to the end")
    func broadcastPages() async throws {
        let service = try await messages.service(
            try (1...501).map { try messages.operation($0, .broadcast, "bcast:news:x", time: UInt64(1 + $0 / 2)) })
        try await service.run { client in
            func page(_ query: String) async throws -> Object {
                try object(try await client.execute(uri: "/get-broadcasts?channel=news&\(query)", method: .get))
            }
            for (query, count) in [("", 200), ("limit=499", 500), ("limit=500", 500), ("limit=501", 500)] {
                #expect((try await page(query)["messages"] as? [Object])?.count == count, "\(query)")
            }
            var (ids, before) = ([String](), "")
            while true {
                let answer = try await page("limit=7\(before)")
                let rows = try #require(answer["messages"] as? [Object])
                ids += rows.compactMap { $0["txId"] as? String }
                guard answer["hasMore"] as? Bool == true, let last = rows.last?["blockTime"] as? Int else { break }
                before = "&before=\(last)"
            }
            #expect(ids.count == 501 && Set(ids).count == 501)
        }
    }
}
