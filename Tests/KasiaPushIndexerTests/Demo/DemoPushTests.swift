import Foundation
import Kaspa
import Testing

@testable import KasiaPushIndexer

@Suite("A push in a line of the stand-in")
struct DemoPushTests {
    /// A line as `push-sandbox --json` prints it, of a notification to Apple's devices.
    static func line(_ body: String, token: String = "ab", status: Int = 200, reason: String? = nil) throws -> String {
        try line(["body": body], of: .apns, token: token, status: status, reason: reason)
    }

    /// A transaction of its own for each type.
    static func transaction(_ type: String) -> String {
        String((Hex.encode(Array(type.utf8)) + String(repeating: "0", count: 64)).prefix(64))
    }

    /// A line about an operation of this type of Alice's, as this carrier's notifications are.
    static func line(
        _ type: String, of carrier: DemoCarrier, token: String = "ab", status: Int = 200, reason: String? = nil
    ) throws -> String {
        let fields =
            #"{"type":"\#(type)","sender":"\#(DemoCast.alice)","tx_id":"\#(transaction(type))","title":"A title"}"#
        let entry: [String: Any] =
            switch carrier {
            case .apns: ["body": fields]
            case .fcm: ["body": #"{"message":{"token":"\#(token)","data":\#(fields)}}"#]
            case .webPush: ["body": "AAAA", "contents": fields]
            }
        return try line(entry, of: carrier, token: token, status: status, reason: reason)
    }

    private static func line(
        _ entry: [String: Any], of carrier: DemoCarrier, token: String, status: Int, reason: String?
    ) throws -> String {
        var entry = entry
        entry.merge(["carrier": carrier.rawValue, "token": token, "status": status, "accepted": status == 200]) { $1 }
        entry["reason"] = reason
        return String(decoding: try JSONSerialization.data(withJSONObject: entry, options: .sortedKeys), as: UTF8.self)
    }

    private static let transaction = String(repeating: "c0", count: 32)

    @Test("says what arrived from whom, in both formats")
    func bothFormats() throws {
        let nested = try #require(
            DemoPush(
                line: Self.line(
                    #"{"aps":{"alert":{"title":"Payment Received","body":"…"}},"kasia":{"type":"payment","txId":"\#(Self.transaction)","#
                        + #""sender":"\#(DemoCast.alice)","amount":700000000}}"#)))
        #expect(nested.text(in: .stranger) == "Alice: Received 7 KAS")
        #expect(nested.transaction == Self.transaction && nested.kind == .payment)
        #expect(nested.token == "ab")
        let flat = try #require(
            DemoPush(
                line: Self.line(
                    #"{"aps":{"alert":{"title":"\#(DemoCast.bob)","body":"New message"}},"type":"contextual","#
                        + #""tx_id":"\#(Self.transaction)","sender":"\#(DemoCast.bob)"}"#)))
        #expect(flat.text(in: .stranger) == "Bob: New message")
        #expect(flat.transaction == Self.transaction && flat.kind == .message)
    }

    @Test("shows what its owner's key opens, and that there is a message where it opens nothing")
    func opened() throws {
        let expected = try #require(
            JSONSerialization.jsonObject(
                with: Data(contentsOf: Self.fixtures.appending(component: "recorded-blocks.expected.json")))
                as? [String: Any])
        let operations = try #require(expected["operations"] as? [[String: Any]])
        let chat = try #require(operations.first { $0["name"] as? String == "chat-2" })
        let payload = try #require(chat["payload"] as? String)
        let push = try #require(
            DemoPush(
                line: Self.line(
                    #"{"kasia":{"type":"contextual_message","txId":"\#(Self.transaction)","#
                        + #""sender":"\#(DemoCast.bob)","payload":"\#(payload)"}}"#)))
        let alice = DemoApp(owner: "Alice", address: DemoCast.alice)
        #expect(push.text(in: alice) == "Bob: Yes, ten o'clock at the station")
        #expect(push.text(in: DemoApp(owner: "Carol", address: DemoCast.carol)) == "Bob: New message")
    }

    private static let fixtures = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(component: "Fixtures")

    @Test("says the same of every carrier", arguments: DemoCarrier.allCases)
    func carriers(carrier: DemoCarrier) throws {
        let push = try #require(DemoPush(line: Self.line("handshake", of: carrier)))
        #expect(push.carrier == carrier && push.kind == .contactRequest)
        #expect(push.text(in: .stranger) == "Alice: Started a conversation")
        #expect(push.transaction == Self.transaction("handshake"))
        let group = try #require(DemoPush(line: Self.line("group_message", of: carrier)))
        #expect(group.kind == .other)
    }

    @Test("reads an amount that is a text, as Google's data has it")
    func amountInText() throws {
        let data =
            #"{"type":"payment","sender":"\#(DemoCast.bob)","tx_id":"\#(Self.transaction)","amount":"125000000"}"#
        let entry = ["body": #"{"message":{"data":\#(data)}}"#]
        let push = try DemoPush(line: Self.line(entry, of: .fcm, token: "a", status: 200, reason: nil))
        #expect(push?.text(in: .stranger) == "Bob: Received 1.25 KAS")
    }

    @Test("is there without contents that the browser could read")
    func notDecrypted() throws {
        let push = try DemoPush(line: Self.line(["body": "AAAA"], of: .webPush, token: "a", status: 201, reason: nil))
        #expect(push?.text(in: .stranger).hasPrefix("The stand-in for Web Push refused") == true)
    }

    @Test("says that it was refused, and why")
    func refused() throws {
        let push = try DemoPush(line: Self.line("{}", status: 410, reason: "Unregistered"))
        #expect(push?.text(in: .stranger) == "The stand-in for Apple refused a push: 410 Unregistered")
    }

    @Test("is none in a line of a card or of another request, and survives a body that is no JSON")
    func otherLines() throws {
        let token = #"{"carrier":"google_token","token":"","status":200,"accepted":false,"body":""}"#
        for line in ["", "┌─ New Message ─┐", "✗ 410", "{", "{}", #"{"token":1}"#, token] {
            #expect(DemoPush(line: line) == nil)
        }
        for body in ["", "no JSON", "[]", #"{"aps":1,"kasia":2}"#] {
            #expect(try DemoPush(line: Self.line(body))?.text(in: .stranger) == "nothing is shown (empty)")
        }
    }
}
