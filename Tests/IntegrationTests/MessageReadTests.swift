import Foundation
import KaspadReplay
import Testing

/// What an app reads over REST after the recorded blocks, compared with the oracle of those blocks.
@Suite("Messages over REST")
struct MessageReadTests {
    private struct Expected {
        let id: String
        let kind: String
        /// Empty for one whose coins no address owned.
        let sender: String
        let receiver: String?
        let payload: String
        let acceptingBlock: String?
        /// False for a group message of somebody who may not write there.
        let counts: Bool

        init?(_ object: [String: Any]) {
            guard let id = object["id"] as? String, let kind = object["kind"] as? String,
                let payload = object["payload"] as? String
            else { return nil }
            self.id = id
            self.kind = kind
            sender = object["sender"] as? String ?? ""
            self.payload = payload
            receiver = object["receiver"] as? String
            counts = object["counts"] as? Bool ?? true
            acceptingBlock = object["accepted"] as? Bool == true ? object["accepting_block"] as? String : nil
        }
    }

    private static let bodies = ["payment": "message", "self_stash": "stashed_data"]
    private static let lists = [
        "handshake": "/handshakes/by-sender?address=", "payment": "/payments/by-sender?address=",
        "contextual_message": "/contextual-messages/by-sender?address=", "self_stash": "/self-stash/by-owner?owner=",
        "group_control": "/group-control/by-sender?address=",
    ]

    private static func operations() throws -> [Expected] {
        let data = try Data(contentsOf: Fixture.folder.appendingPathComponent("recorded-blocks.expected.json"))
        let document = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let operations = try #require(document["operations"] as? [[String: Any]])
        let kinds = Set(bodies.keys).union(lists.keys).union(["group_message", "broadcast"])
        return operations.compactMap { Expected($0) }.filter { kinds.contains($0.kind) }
    }

    @Test(
        "each operation is there by id with its end of the payload, long ones too, and in its sender's list",
        .timeLimit(.minutes(10)))
    func reads() async throws {
        let recording = try Fixture.recording()
        let accepted = try Self.operations().filter { $0.acceptingBlock != nil }
        #expect(accepted.count > 50)
        #expect(accepted.contains { $0.payload.count >= 100_000 }, "one that no push can hold")
        try await World.with(recording) { world in
            await world.replay.advanceToEnd()
            try await world.withIndexer(now: { RecordedTimes(recording).end }) { indexer in
                try await indexer.untilQuiet(at: ReplayedChain(recording, entries: world.replay.entryCount).sink)
                for operation in accepted {
                    let answer = try await indexer.rest.send("GET", "/v1/messages/\(operation.id)")
                    guard operation.counts else {
                        #expect(answer.status == 404)
                        continue
                    }
                    let item = try #require(JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
                    #expect(item["kind"] as? String == operation.kind)
                    #expect((item["sender"] ?? item["owner"]) as? String == operation.sender)
                    #expect(item["accepting_block"] as? String == operation.acceptingBlock)
                    let body = try #require(item[Self.bodies[operation.kind] ?? "message_payload"] as? String)
                    #expect(operation.payload.hasSuffix(body) && body.count < operation.payload.count)
                }
                for (kind, path) in Self.lists {
                    let ours = accepted.filter { $0.kind == kind }
                    #expect(!ours.isEmpty, "\(kind)")
                    for sender in Set(ours.map(\.sender)) where !sender.isEmpty {
                        let expected = ours.filter { $0.sender == sender }.map(\.id)
                        let listed = try await Self.page(indexer.rest, path + sender)
                        // What was accepted for a while only stays listed, without an acceptance.
                        #expect(
                            listed.filter(\.isAccepted).map(\.id).sorted() == expected.sorted(), "\(kind) \(sender)")
                    }
                }
            }
        }
    }

    private struct Seen: Hashable {
        let id: String
        let direction: String
        let counterparty: String?
    }

    @Test("each address's activity has what it sent and what it was paid, and nothing else", .timeLimit(.minutes(10)))
    func activity() async throws {
        let recording = try Fixture.recording()
        let accepted = try Self.operations().filter { $0.acceptingBlock != nil && $0.counts }
        let people = Set(accepted.map(\.sender) + accepted.compactMap(\.receiver)).subtracting([""])
        #expect(people.count > 3)
        try await World.with(recording) { world in
            await world.replay.advanceToEnd()
            try await world.withIndexer(now: { RecordedTimes(recording).end }) { indexer in
                try await indexer.untilQuiet(at: ReplayedChain(recording, entries: world.replay.entryCount).sink)
                for person in people {
                    var expected: Set<Seen> = []
                    for operation in accepted {
                        let isPaid = operation.kind == "payment" || operation.kind == "handshake"
                        let other = isPaid ? operation.receiver : nil
                        if operation.sender == person {
                            let isOwn = other == person || operation.kind == "self_stash"
                            expected.insert(
                                Seen(
                                    id: operation.id, direction: isOwn ? "self" : "out",
                                    counterparty: isOwn ? nil : other))
                        } else if other == person {
                            let sender = operation.sender.isEmpty ? nil : operation.sender
                            expected.insert(Seen(id: operation.id, direction: "in", counterparty: sender))
                        }
                    }
                    let kinds = "payment,handshake,contextual_message,self_stash,group_message,broadcast"
                    let seen = try await Self.activity(
                        indexer.rest, "/v1/activity?address=\(person)&types=\(kinds)&status=accepted,confirmed&limit=7")
                    #expect(seen.count == Set(seen).count)
                    #expect(
                        Set(seen)
                            == expected.filter { seen in
                                accepted.contains { $0.id == seen.id && $0.kind != "group_control" }
                            },
                        "\(person)")
                }
            }
        }
    }

    /// All pages of an activity.
    private static func activity(_ rest: RESTClient, _ path: String) async throws -> [Seen] {
        var items: [Seen] = []
        var cursor: String?
        repeat {
            let answer = try await rest.send("GET", path + (cursor.map { "&cursor=\($0)" } ?? ""))
            let page = try #require(JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
            items += try #require(page["items"] as? [[String: Any]]).map { item in
                Seen(
                    id: item["id"] as? String ?? "", direction: item["direction"] as? String ?? "",
                    counterparty: item["counterparty"] as? String)
            }
            #expect((page["has_more"] as? Bool) == (page["next_cursor"] is String))
            cursor = page["next_cursor"] as? String
        } while cursor != nil
        return items
    }

    /// All items of a list, three at a time.
    private static func page(_ rest: RESTClient, _ path: String) async throws -> [(id: String, isAccepted: Bool)] {
        var items: [(id: String, isAccepted: Bool)] = []
        var cursor = ""
        while true {
            let answer = try await rest.send("GET", "\(path)&limit=3&cursor=\(cursor)")
            let page = try #require(JSONSerialization.jsonObject(with: answer.body) as? [[String: Any]])
            guard let last = page.last?["cursor"] as? String else { return items }
            cursor = last
            for item in page {
                items.append((try #require(item["tx_id"] as? String), item["accepting_block"] is String))
            }
        }
    }
}
