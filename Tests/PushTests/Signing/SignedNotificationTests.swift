import Carriers
import Foundation
import Kaspa
import SampleOperations
import SignedPushes
import Store
import Testing

@testable import APNs

@Suite("Signed notifications")
struct SignedNotificationTests {
    private static let formats: [DeviceRecord.PayloadFormat] = [.kasia, .kachat]
    private static let token = Hex.encode(Samples.token(1))

    private let key = SigningKey.make()
    private let plain = NotificationEncoder(defaultFormat: .kasia, maximumPayloadBytes: 3_500)
    private var signing: NotificationEncoder {
        NotificationEncoder(defaultFormat: .kasia, maximumPayloadBytes: 3_500, signer: PushSigner(key))
    }

    /// The notification without and with a key; what differs is checked here.
    private func encoded(
        _ delivery: Delivery, _ payload: [UInt8], _ format: DeviceRecord.PayloadFormat?
    ) throws -> (plain: [UInt8], signed: SignedPush) {
        let plain = plain.encode(delivery, payload: payload, format: format)
        let bytes = signing.encode(delivery, payload: payload, format: format)
        let signed = try #require(SignedPush(json: bytes))
        if let signature = signed.signature {
            let without = String(decoding: bytes, as: UTF8.self).replacing(#","sig":"\#(signature)""#, with: "")
            try #require(without == String(decoding: plain, as: UTF8.self))
            try #require(signed.isSigned(by: key.publicKey.bytes, for: Self.token))
        } else {
            try #require(bytes == plain)
        }
        try #require(bytes.count <= NotificationEncoder.maximumBytes)
        let fits = plain.count + PushSigner.memberBytes <= NotificationEncoder.maximumBytes
        try #require((signed.signature != nil) == fits, "\(plain.count)")
        return (plain, signed)
    }

    @Test("each golden notification is signed, in both shapes", arguments: GoldenNotification.all)
    func golden(golden: GoldenNotification) throws {
        let delivery = Samples.delivery(
            golden.kind, sender: golden.hasSender ? Samples.known : nil, amount: golden.amount)
        for format in Self.formats {
            let (plain, signed) = try encoded(delivery, golden.payload, format)
            #expect(plain == Array((format == .kasia ? golden.kasia : golden.kachat).utf8))
            #expect(signed.signature != nil)
        }
    }

    @Test(
        "every kind is signed as it names its type and its sender",
        arguments: PushKind.allCases, [Samples.known, nil])
    func kinds(kind: PushKind, sender: Address?) throws {
        let payload: [UInt8] =
            switch kind {
            case .broadcast: Samples.broadcast("hi")
            case .groupMessage: Samples.groupMessage(by: Samples.alice)
            case .addressActivity, .paymentReverted: []
            default: Samples.message()
            }
        var delivery = Samples.delivery(kind, sender: sender, amount: 5, seq: .max)
        if kind == .addressActivity { delivery.address = Samples.alice }
        for format in Self.formats {
            #expect(try encoded(delivery, payload, format).signed.signature != nil)
            // A broadcast that cannot be read is shown like a message.
            if kind == .broadcast {
                #expect(try encoded(delivery, Samples.broadcast("x", channel: "a b"), format).signed.signature != nil)
            }
        }
    }

    @Test("the signature is in `kasia`, or at the top level of the flat shape")
    func place() throws {
        let delivery = Samples.delivery(.handshake)
        func object(_ format: DeviceRecord.PayloadFormat) throws -> [String: Any] {
            let bytes = signing.encode(delivery, payload: Samples.handshake(), format: format)
            return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        }
        let nested = try object(.kasia)
        #expect(nested["sig"] == nil && (nested["kasia"] as? [String: Any])?["sig"] is String)
        #expect(try object(.kachat)["sig"] is String)
    }

    @Test("a notification takes the signature up to 4096 bytes, and nothing is left out for it", arguments: formats)
    func limit(format: DeviceRecord.PayloadFormat) throws {
        let limit = NotificationEncoder.maximumBytes - PushSigner.memberBytes
        var sizes: Set<Int> = []
        // A payload's byte is two in either shape: in hex, or as a quotation mark. The number's digits make the others.
        for seq in [1, 10] as [UInt64] {
            let delivery = Samples.delivery(.contextualMessage, seq: seq)
            let room = limit - plain.encode(delivery, payload: Samples.message(""), format: format).count
            for count in room / 2 - 2...room / 2 + 2 {
                let payload = Samples.message(String(repeating: "\"", count: count))
                sizes.insert(try encoded(delivery, payload, format).plain.count)
            }
        }
        #expect(sizes.isSuperset(of: [limit - 1, limit, limit + 1]), "\(sizes.sorted())")
    }

    @Test("a memo goes before the signature")
    func memo() throws {
        var sizes: [Bool: Int] = [:]
        for count in stride(from: 1_000, to: 1_300, by: 10) {
            let payload = Samples.payment(#"{"message":"\#(String(repeating: "m", count: count))"}"#)
            let (plain, signed) = try encoded(Samples.delivery(.payment), payload, .kasia)
            let text = try NotificationText(plain)
            #expect(text.memo == nil || text.payload != nil)
            if text.memo != nil { sizes[signed.signature != nil, default: 0] += 1 }
        }
        // Some have room for both, and some for the memo alone.
        #expect((sizes[true] ?? 0) > 0 && (sizes[false] ?? 0) > 0)
    }

    @Test("random notifications are the plain ones, with a good signature if it fits")
    func random() throws {
        var random = SeededRandom()
        print("SignedNotificationTests.random: TEST_SEED=\(random.seed)")
        for _ in 0..<300 {
            let sizes = [0...40, 1_500...1_800, 3_300...3_600]
            let count = Int.random(in: sizes.randomElement(using: &random) ?? 0...1, using: &random)
            let body = (0..<count).map { _ in UInt8.random(in: 0x20...0x7e, using: &random) }
            let kind = [PushKind.contextualMessage, .payment, .handshake, .broadcast].randomElement(using: &random)
            let start =
                switch kind {
                case .payment: Samples.payment("")
                case .handshake: Samples.handshake("")
                case .broadcast: Samples.broadcast("")
                default: Samples.message("")
                }
            let delivery = Samples.delivery(
                kind ?? .payment, sender: random.hit(8) ? nil : Samples.known, amount: random.next(),
                seq: random.next(), omitsPayload: random.hit(10))
            _ = try encoded(delivery, start + body, random.hit(2) ? .kasia : .kachat)
        }
    }
}
