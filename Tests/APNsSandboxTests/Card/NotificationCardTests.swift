import FoundationEssentials
import Testing

@testable import APNsSandbox

@Suite("A card")
struct NotificationCardTests {
    private static func entry(_ body: String, accepted: Bool = true) -> ReceivedNotification {
        ReceivedNotification(
            number: 1, token: "aa11bb22cc33dd44", id: "123e4567-e89b-12d3-a456-42661417400a",
            collapseID: String(repeating: "ab", count: 32), body: Array(body.utf8), bodyLength: body.utf8.count,
            receivedAt: Date(timeIntervalSince1970: 1_704_067_201.5), connection: 1, stream: 1,
            status: accepted ? 200 : 410, reason: accepted ? nil : "Unregistered", ending: .answered,
            isAccepted: accepted)
    }

    @Test("shows a notification in an aligned box")
    func box() {
        let body =
            #"{"aps":{"alert":{"title":"New Message","body":"From kaspa:qz...4k3x2p"}},"kasia":{"type":"#
            + #""contextual_message","sender":"kaspa:qzabcdefgh4k3x2p","timestamp":1704067200000,"seq":17,"payload":"00ff"}}"#
        #expect(
            NotificationCard(Self.entry(body)).description == """
                ┌─ New Message ────────────────────────────────────────────────────────┐
                │ From kaspa:qz...4k3x2p                                               │
                │                                                                      │
                │ type      contextual_message                                         │
                │ sender    kaspa:qz...4k3x2p                                          │
                │ size      197 of 4096 bytes, payload 4                               │
                │ seq       17                                                         │
                │ device    …cc33dd44                                                  │
                │ apns-id   123e4567-e89b-12d3-a456-42661417400a                       │
                │ collapse  abababab...ababab                                          │
                │ received  00:00:01.500 UTC, 1.5 s after its block                    │
                └──────────────────────────────────────────────────────────────────────┘
                """)
    }

    @Test("says to which host it came, and of which type it is unless that is alert")
    func hostAndType() {
        var entry = Self.entry(#"{"call_id":"x"}"#)
        entry.pushType = "alert"
        #expect(!NotificationCard(entry).description.contains("push type"))
        #expect(!NotificationCard(entry).description.contains("host"))
        (entry.pushType, entry.environment) = ("voip", .development)
        let card = NotificationCard(entry).description
        #expect(card.contains("│ host      development  ") && card.contains("│ push type voip  "))
        #expect(card.contains("│ size      15 of 5120 bytes "))
    }

    @Test("reads the flat format too")
    func flat() {
        let body = #"{"aps":{"alert":"Hi"},"type":"payment","sender":"kaspa:qq","timestamp":1704067201400}"#
        let card = NotificationCard(Self.entry(body)).description
        #expect(card.contains("│ Hi  "))
        #expect(card.contains("type      payment"))
        #expect(card.contains("sender    kaspa:qq"))
        #expect(card.contains("received  00:00:01.500 UTC, 100 ms after its block"))
    }

    @Test("shows a broadcast with its channel, its writer and what it says")
    func broadcast() {
        let body =
            ##"{"aps":{"alert":{"title":"#kaspa","subtitle":"kaspa:qz...4k3x2p","body":"hello\nyou"},"sound":"default","##
            + #""thread-id":"broadcast:kaspa","mutable-content":1},"type":"broadcast","tx_id":"ab","seq":17}"#
        let lines = NotificationCard(Self.entry(body)).description.split(separator: "\n")
        #expect(lines[0].hasPrefix("┌─ #kaspa ─"))
        #expect(lines[1].hasPrefix("│ kaspa:qz...4k3x2p  "))
        #expect(lines[2].hasPrefix("│ hello you  "))
        #expect(lines[4].hasPrefix("│ type      broadcast  "))
        #expect(!lines.contains { $0.contains("sender") })
        #expect(Set(lines.map(\.count)) == [72])
    }

    @Test("has the same width whatever the text, and passes no control character on")
    func isSafe() {
        for text in [String(repeating: "long ", count: 40), "\\u001b[31mred\\u0007\\n\\u202e", ""] {
            let body = #"{"aps":{"alert":{"title":"\#(text)","body":"\#(text)"}}}"#
            let card = NotificationCard(Self.entry(body)).description
            #expect(Set(card.split(separator: "\n").map(\.count)) == [72])
            #expect(!card.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
        }
    }

    @Test("survives any time a payload may claim", arguments: ["0", "18446744073709551615", "-1", "1e400", "\"x\""])
    func survives(timestamp: String) {
        let card = NotificationCard(Self.entry(#"{"aps":{},"timestamp":\#(timestamp)}"#)).description
        #expect(card.contains("received"))
    }

    @Test("is one line for a refused request, with colours only when asked")
    func refused() {
        let entry = Self.entry("{}", accepted: false)
        #expect(NotificationCard(entry).description == "✗ 410 Unregistered  device …cc33dd44  00:00:01.500 UTC")
        #expect(NotificationCard(entry, colour: true).description.contains("\u{1B}[31m"))
    }
}
