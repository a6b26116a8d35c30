import Foundation
import Kaspa
import Testing

@testable import KasiaPushIndexer

@Suite("A push in a line of the stand-in")
struct DemoPushTests {
    /// A line as `apns-sandbox --json` prints it.
    static func line(_ body: String, token: String = "ab", status: Int = 200, reason: String? = nil) throws -> String {
        var entry: [String: Any] = ["token": token, "status": status, "accepted": status == 200, "body": body]
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

    @Test("knows no sender where there is none", arguments: [#""sender":"","#, #""sender":null,"#, ""])
    func unknownSender(member: String) throws {
        let push = try DemoPush(line: Self.line(#"{\#(member)"type":"payment","amount":1}"#))
        #expect(push?.text == "Payment Received, 0.00000001 KAS from an unknown sender")
    }

    @Test("says that it was refused, and why")
    func refused() throws {
        let push = try DemoPush(line: Self.line("{}", status: 410, reason: "Unregistered"))
        #expect(push?.text == "Apple's stand-in refused a push: 410 Unregistered")
    }

    @Test("is none in a line of a card, and survives a body that is no JSON")
    func otherLines() throws {
        for line in ["", "┌─ New Message ─┐", "✗ 410", "{", "{}", #"{"token":1}"#] {
            #expect(DemoPush(line: line) == nil)
        }
        for body in ["", "no JSON", "[]", #"{"aps":1,"kasia":2}"#] {
            #expect(try DemoPush(line: Self.line(body))?.text == "Notification from an unknown sender")
        }
    }
}
