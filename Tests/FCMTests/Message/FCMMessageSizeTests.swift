import Carriers
import Kaspa
import SampleOperations
import Store
import TestRandom
import Testing

@testable import FCM

@Suite("The size of FCM messages")
struct FCMMessageSizeTests {
    private static let now: UInt64 = 1_700_000_000

    private func payload(_ push: OutgoingPush, limit: Int) -> String? {
        let message = FCMMessageEncoder(maximumPayloadBytes: limit).message(push, now: Self.now)
        #expect(message.payloadBytes <= FCMMessage.maximumPayloadBytes)
        return message.data.first { $0.key == "enc_payload" }?.value
    }

    /// Base64 text of so many characters, which is not hexadecimal.
    private func body(_ count: Int) -> String { String(repeating: "Q", count: count) }

    /// The lengths are those of base64 with its padding: 3 bytes are 4 characters.
    @Test("leaves out a payload that is longer than the operator wants", arguments: [(72, 96), (75, 100), (76, 104)])
    func operatorsLimit(count: Int, length: Int) {
        let raw = [UInt8](repeating: 0xff, count: count)
        let push = Samples.push(.contextualMessage, payload: Samples.message("") + raw)
        for (limit, isCarried) in [(length - 1, false), (length, true), (length + 1, true)] {
            #expect(payload(push, limit: limit)?.utf8.count == (isCarried ? length : nil))
        }
    }

    @Test("fills 4,096 bytes and no more", arguments: [(-4, true), (0, true), (4, false)])
    func googlesLimit(difference: Int, isCarried: Bool) throws {
        let encoder = FCMMessageEncoder(maximumPayloadBytes: 4_096)
        // Base64 comes in fours: the amount's digits make the rest a multiple of it.
        let amounts: [UInt64] = [1, 10, 100, 1_000]
        func push(_ amount: UInt64, _ text: String) -> OutgoingPush {
            Samples.push(.payment, payload: Samples.payment(text), amount: amount)
        }
        func room(_ amount: UInt64) -> Int {
            let without = encoder.message(push(amount, ""), now: Self.now).payloadBytes
            return FCMMessage.maximumPayloadBytes - without - "enc_payload".utf8.count
        }
        let amount = try #require(amounts.first { room($0) % 4 == 0 })
        let count = room(amount) + difference
        let message = encoder.message(push(amount, body(count)), now: Self.now)
        #expect(message.data.contains { $0.key == "enc_payload" } == isCarried)
        if difference == 0 { #expect(message.payloadBytes == FCMMessage.maximumPayloadBytes) }
        // One byte less of room, and the payload that just fitted stays out.
        let tighter = encoder.message(push(amount * 10, body(count)), now: Self.now)
        #expect(tighter.data.contains { $0.key == "enc_payload" } == (difference < 0))
    }

    @Test("leaves out no payload of nothing, and carries none either")
    func empty() { #expect(payload(Samples.push(.payment, payload: Samples.payment("")), limit: 3_500) == nil) }

    @Test("cuts a broadcast's preview where it must, between characters")
    func longPreview() throws {
        // One character of 600 accents, five times: few characters, many bytes.
        let heavy = String(repeating: "e" + String(repeating: "\u{301}", count: 249), count: 5)
        let push = Samples.push(.broadcast, payload: Samples.broadcast(heavy, channel: "kaspa"))
        let message = FCMMessageEncoder(maximumPayloadBytes: 3_500).message(push, now: Self.now)
        #expect((FCMMessage.maximumPayloadBytes - 4...FCMMessage.maximumPayloadBytes).contains(message.payloadBytes))
        let shown = try #require(message.notification?.body)
        #expect(message.data.first { $0.key == "body" }?.value == shown)
        #expect(heavy.unicodeScalars.starts(with: shown.unicodeScalars))
    }

    @Test("keeps a broadcast's preview whole up to the limit", arguments: [(0, true), (1, true), (2, false)])
    func previewLimit(extra: Int, isWhole: Bool) throws {
        func message(_ preview: String) -> FCMMessage {
            FCMMessageEncoder(maximumPayloadBytes: 3_500).message(
                Samples.push(.broadcast, payload: Samples.broadcast(preview, channel: "kaspa")), now: Self.now)
        }
        // 150 characters at most: accents make up the bytes.
        let room = (FCMMessage.maximumPayloadBytes - message("").payloadBytes) / 2
        let accents = String(repeating: "\u{301}", count: (room - 1 - 100) / 2)
        var text = "e" + accents
        text += String(repeating: "a", count: room - text.utf8.count - 1 + extra)
        let made = message(text)
        #expect((made.notification?.body == text) == isWhole)
        #expect(made.payloadBytes <= FCMMessage.maximumPayloadBytes)
    }

    @Test("keeps to 4,096 bytes whatever is pushed")
    func anything() {
        var random = SeededRandom()
        for _ in 0..<3_000 {
            let kind = PushKind.allCases.randomElement(using: &random) ?? .payment
            let push = Samples.push(
                kind, payload: randomPayload(kind, &random), sender: Bool.random(using: &random) ? Samples.known : nil,
                amount: .random(in: 0 ... .max, using: &random), seq: .random(in: 0 ... .max, using: &random),
                address: Samples.known, omitsPayload: Int.random(in: 0..<8, using: &random) == 0,
                blockTime: .random(in: 0 ... .max, using: &random), daaScore: .random(in: 0 ... .max, using: &random))
            let limit = Int.random(in: 0...4_096, using: &random)
            let message = FCMMessageEncoder(maximumPayloadBytes: limit).message(push, now: Self.now)
            #expect(message.dataBytes <= 4_096, "seed \(random.seed)")
            #expect(message.payloadBytes <= FCMMessage.maximumPayloadBytes, "seed \(random.seed)")
            let carried = message.data.first { $0.key == "enc_payload" }?.value.utf8.count ?? 0
            #expect(carried <= limit, "seed \(random.seed)")
        }
    }

    private func randomPayload(_ kind: PushKind, _ random: inout SeededRandom) -> [UInt8] {
        let count = Int.random(in: 0...(Bool.random(using: &random) ? 6_000 : 300), using: &random)
        let text: [UInt8] =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: (0..<count).map { _ in .random(in: 0 ... .max, using: &random) }
            case 1: Array(Hex.encode((0..<count / 2).map { _ in UInt8.random(in: 0 ... .max, using: &random) }).utf8)
            case 2: (0..<count).map { _ in UInt8(ascii: "A") + .random(in: 0..<26, using: &random) }
            default:
                Array(String((0..<count / 3).map { _ in "e\u{301}🙂\u{1}\"".randomElement(using: &random) ?? "a" }).utf8)
            }
        switch kind {
        case .payment: return Samples.payment("") + text
        case .handshake: return Samples.handshake("") + text
        case .contextualMessage:
            return (Bool.random(using: &random) ? Samples.message("") : Samples.inboxMessage("")) + text
        case .selfStash: return Array("ciph_msg:1:self_stash:s:".utf8) + text
        case .groupMessage: return Samples.groupMessage(by: Samples.alice)
        case .groupControl: return Array("ciph_msg:1:gctl:".utf8) + text
        case .broadcast:
            let channel = String(repeating: "ü", count: .random(in: 1...36, using: &random))
            return Samples.broadcast("", channel: channel) + text
        case .addressActivity, .paymentReverted: return []
        }
    }
}
