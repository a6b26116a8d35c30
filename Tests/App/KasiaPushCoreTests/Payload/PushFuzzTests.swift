import Foundation
import TestRandom
import Testing

@testable import KasiaPushCore

@Suite("Reading pushes, fuzzed")
struct PushFuzzTests {
    private static let valid: [String] = [
        Pushes.kasia("contextual_message", payload: "636970685f6d73673a313a636f6d6d3a613a62"),
        Pushes.kachat("payment", flags: #""amount":125000000,"#, payload: "f00d"),
        Pushes.web("address_activity", flags: #""address":"\#(Pushes.other)","amount":1,"#, payload: nil),
        #"{"aps":{"alert":{"title":"c","body":"b"},"thread-id":"broadcast:c"},"type":"broadcast","#
            + #""tx_id":"\#(Pushes.transaction)"}"#,
        Pushes.call(payload: "beef"),
    ]

    /// What holds of every push, whatever it was made of.
    private func check(_ push: PushPayload, _ random: SeededRandom) {
        if let details = push.details {
            #expect(details.transactionID.utf8.count == 64 && !details.type.isEmpty, "seed \(random.seed)")
        }
        if let sealed = SealedBody([1]) { #expect(push.filled(with: sealed).details == push.details) }
        let person = Person("fuzz")
        // Nothing of it was sealed for this key.
        if case .payment = push { return }
        #expect(throws: OpeningError.self, "seed \(random.seed)") { try person.opener.open(push) }
        _ = NotificationComposer(settings: NotificationSettings(ownAddresses: [])).compose(push)
    }

    @Test("mutations of pushes never crash, as JSON, as what iOS gives and as FCM's data")
    func mutations() {
        var random = SeededRandom()
        var pushes = 0
        for _ in 0..<3_000 {
            var bytes = Array(Self.valid.randomElement(using: &random)!.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) { bytes.mutate(using: &random) }
            guard let push = try? PushPayload(json: bytes) else { continue }
            pushes += 1
            check(push, random)
            if let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [AnyHashable: Any] {
                check(PushPayload(userInfo: object), random)
            }
        }
        #expect(pushes > 300, "seed \(random.seed)")
    }

    @Test("random texts as FCM's data never crash")
    func texts() {
        var random = SeededRandom()
        let names = ["type", "tx_id", "sender", "amount", "enc_payload", "payload", "title", "body", "channel", "sig"]
        let values = [
            "contextual", "payment", "group_message", Pushes.transaction, Pushes.sender, "7", "", "AAAA", "true", "ä",
            "18446744073709551616", "broadcast", "call_id",
        ]
        for _ in 0..<2_000 {
            var data: [String: String] = [:]
            for name in names where Bool.random(using: &random) {
                data[name] = values.randomElement(using: &random)
            }
            check(PushPayload(data: data), random)
        }
    }

    @Test("random bytes never crash")
    func bytes() {
        var random = SeededRandom()
        for _ in 0..<3_000 {
            let bytes = random.bytes(0...80)
            if let push = try? PushPayload(json: bytes) { check(push, random) }
            if let sealed = SealedBody(bytes) { _ = sealed.readings }
        }
    }
}
