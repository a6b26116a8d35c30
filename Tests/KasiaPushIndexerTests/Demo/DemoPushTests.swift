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

    /// A line about an operation of this type of Alice's, as this carrier's notifications are.
    static func line(
        _ type: String, of carrier: DemoCarrier, token: String = "ab", status: Int = 200, reason: String? = nil
    ) throws -> String {
        let fields = #"{"type":"\#(type)","sender":"\#(DemoCast.alice)","tx_id":"\#(type)-id","title":"A title"}"#
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
        #expect(nested.text == "Payment Received, 7 KAS from Alice")
        #expect(nested.transaction == Self.transaction)
        #expect(nested.token == "ab")
        let flat = try #require(
            DemoPush(
                line: Self.line(
                    #"{"aps":{"alert":{"title":"\#(DemoCast.bob)","body":"New message"}},"type":"contextual","#
                        + #""tx_id":"\#(Self.transaction)","sender":"\#(DemoCast.bob)"}"#)))
        #expect(flat.text == "New Message from Bob")
        #expect(flat.transaction == Self.transaction)
    }

    @Test(
        "names each kind as the phone does",
        arguments: [
            ("contextual_message", "New Message"), ("contextual", "New Message"), ("payment", "Payment Received"),
            ("handshake", "New Contact Request"), ("group_message", "A title"),
        ])
    func kinds(type: String, title: String) throws {
        let body = #"{"aps":{"alert":{"title":"A title"}},"type":"\#(type)","sender":"kaspa:qq"}"#
        #expect(try DemoPush(line: Self.line(body))?.text == "\(title) from kaspa:qq")
    }

    @Test("says the same of every carrier", arguments: DemoCarrier.allCases)
    func carriers(carrier: DemoCarrier) throws {
        let push = try #require(DemoPush(line: Self.line("handshake", of: carrier)))
        #expect(push.carrier == carrier)
        #expect(push.text == "New Contact Request from Alice")
        #expect(push.transaction == "handshake-id")
        #expect(try DemoPush(line: Self.line("group_message", of: carrier))?.text == "A title from Alice")
    }

    @Test("reads an amount that is a text, as Google's data has it")
    func amountInText() throws {
        let data = #"{"type":"payment","sender":"\#(DemoCast.bob)","amount":"125000000"}"#
        let entry = ["body": #"{"message":{"data":\#(data)}}"#]
        let push = try DemoPush(line: Self.line(entry, of: .fcm, token: "a", status: 200, reason: nil))
        #expect(push?.text == "Payment Received, 1.25 KAS from Bob")
    }

    @Test("is there without contents that the browser could read")
    func notDecrypted() throws {
        let push = try DemoPush(line: Self.line(["body": "AAAA"], of: .webPush, token: "a", status: 201, reason: nil))
        #expect(push?.text.hasPrefix("The stand-in for Web Push refused") == true)
    }

    @Test("knows no sender where there is none", arguments: [#""sender":"","#, #""sender":null,"#, ""])
    func unknownSender(member: String) throws {
        let push = try DemoPush(line: Self.line(#"{\#(member)"type":"payment","amount":1}"#))
        #expect(push?.text == "Payment Received, 0.00000001 KAS from an unknown sender")
    }

    @Test("says that it was refused, and why")
    func refused() throws {
        let push = try DemoPush(line: Self.line("{}", status: 410, reason: "Unregistered"))
        #expect(push?.text == "The stand-in for Apple refused a push: 410 Unregistered")
    }

    @Test("is none in a line of a card or of another request, and survives a body that is no JSON")
    func otherLines() throws {
        let token = #"{"carrier":"google_token","token":"","status":200,"accepted":false,"body":""}"#
        for line in ["", "┌─ New Message ─┐", "✗ 410", "{", "{}", #"{"token":1}"#, token] {
            #expect(DemoPush(line: line) == nil)
        }
        for body in ["", "no JSON", "[]", #"{"aps":1,"kasia":2}"#] {
            #expect(try DemoPush(line: Self.line(body))?.text == "Notification from an unknown sender")
        }
    }
}
