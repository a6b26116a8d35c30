import FoundationEssentials
import Testing

@testable import APNsSandbox

@Suite("A card of another carrier")
struct CarrierCardTests {
    private static func entry(
        _ carrier: SandboxCarrier, _ body: String, contents: String? = nil, status: Int = 200, reason: String? = nil
    ) -> ReceivedNotification {
        ReceivedNotification(
            number: 1, carrier: carrier, token: "aa11bb22cc33dd44",
            id: carrier == .fcm ? "projects/p/messages/7" : "topic", urgency: "high", timeToLive: 60,
            body: Array(body.utf8), contents: contents.map { Array($0.utf8) }, bodyLength: body.utf8.count,
            receivedAt: Date(timeIntervalSince1970: 1_704_067_201.5), connection: 1, stream: 1, status: status,
            reason: reason, ending: .answered, isAccepted: reason == nil && carrier.carriesNotifications)
    }

    @Test("shows an Android phone's message, read from its data")
    func android() {
        let body =
            #"{"message":{"token":"t","data":{"type":"payment","sender":"kaspa:qzabcdefgh4k3x2p","title":"From X","#
            + #""body":"7 KAS","timestamp":"1704067200000","seq":"17","enc_payload":"00ff"}}}"#
        #expect(
            NotificationCard(Self.entry(.fcm, body)).description == """
                ┌─ From X \(String(repeating: "─", count: 51)) Android ─┐
                │ 7 KAS                                                                │
                │                                                                      │
                │ type      payment                                                    │
                │ sender    kaspa:qz...4k3x2p                                          │
                │ size      \(body.utf8.count) bytes, payload 4                                       │
                │ seq       17                                                         │
                │ device    …cc33dd44                                                  │
                │ message   projects/p/messages/7                                      │
                │ urgency   high                                                       │
                │ ttl       60 s                                                       │
                │ received  00:00:01.500 UTC, 1.5 s after its block                    │
                └──────────────────────────────────────────────────────────────────────┘
                """)
    }

    @Test("shows the notification of an Android message before its data")
    func notification() {
        let body = #"{"message":{"notification":{"title":"N","body":"B"},"data":{"title":"x","body":"y"}}}"#
        let lines = NotificationCard(Self.entry(.fcm, body)).description.split(separator: "\n")
        #expect(lines[0].hasPrefix("┌─ N ─") && lines[1].hasPrefix("│ B  "))
        let bare = NotificationCard(Self.entry(.fcm, #"{"message":{"token":"t"}}"#)).description
        #expect(bare.hasPrefix("┌─ Notification ─"))
    }

    @Test("shows a browser's message, as the browser decrypts it")
    func browser() {
        let contents = #"{"title":"From X","body":"7 KAS","type":"payment","seq":17}"#
        let card = NotificationCard(Self.entry(.webPush, "cipher", contents: contents)).description
        let lines = card.split(separator: "\n")
        #expect(lines[0].hasPrefix("┌─ From X ─") && lines[0].hasSuffix("─ browser ─┐"))
        #expect(lines[1].hasPrefix("│ 7 KAS  "))
        #expect(card.contains("│ size      6 of 4096 bytes  ") && card.contains("│ endpoint  …cc33dd44  "))
        #expect(card.contains("│ topic     topic  ") && card.contains("│ seq       17  "))
        #expect(Set(lines.map(\.count)) == [72])
    }

    @Test(
        "is one line for what is refused, or is no notification",
        arguments: [
            (
                SandboxCarrier.fcm, 404, "UNREGISTERED" as String?,
                "✗ 404 UNREGISTERED  Android …cc33dd44  00:00:01.500 UTC"
            ),
            (.webPush, 410, "EndedSubscription", "✗ 410 EndedSubscription  browser …cc33dd44  00:00:01.500 UTC"),
            (.googleToken, 400, "invalid_grant", "✗ 400 invalid_grant  access token …cc33dd44  00:00:01.500 UTC"),
            (.googleToken, 200, nil, "✓ 200  access token …cc33dd44  00:00:01.500 UTC"),
            (.unifiedPush, 200, nil, "✓ 200  UnifiedPush …cc33dd44  00:00:01.500 UTC"),
        ])
    func lines(carrier: SandboxCarrier, status: Int, reason: String?, line: String) {
        #expect(NotificationCard(Self.entry(carrier, "", status: status, reason: reason)).description == line)
    }
}
