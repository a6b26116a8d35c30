import KasiaProtocol
import Kaspa
import SampleOperations
import Store
import Testing

@testable import APNs

@Suite("The 3.5 KB rule")
struct PayloadRuleTests {
    private func encode(
        _ payload: [UInt8], _ format: DeviceRecord.PayloadFormat, limit: Int = 3500, sender: Address? = Samples.known,
        kind: PushKind = .contextualMessage
    ) -> [UInt8] {
        NotificationEncoder(defaultFormat: .kasia, maximumPayloadBytes: limit).encode(
            Samples.delivery(kind, sender: sender, amount: .max, seq: .max), payload: payload, format: format)
    }

    @Test(
        "`kachat` measures the text: 3500 bytes go in, 3501 do not",
        arguments: [(3499, true), (3500, true), (3501, false), (100_000, false)])
    func measuresText(count: Int, isCarried: Bool) throws {
        let body = String(repeating: "A", count: count)
        let bytes = encode(Samples.message(body), .kachat)
        #expect(bytes.count <= 4096)
        #expect(try NotificationText(bytes).payload == (isCarried ? body : nil))
    }

    @Test(
        "`kachat` measures the hex of a body that is not printable",
        arguments: [
            (1749, 3500, true), (1750, 3499, false), (1750, 3500, true), (1751, 3500, false), (50_000, 3500, false),
            (100, 199, false), (100, 200, true), (100, 201, true),
        ])
    func measuresHexOfBody(count: Int, limit: Int, isCarried: Bool) throws {
        let body = [UInt8](repeating: 0x80, count: count)
        let bytes = encode(Samples.message("") + body, .kachat, limit: limit)
        #expect(bytes.count <= 4096)
        #expect(try NotificationText(bytes).payload == (isCarried ? Hex.encode(body) : nil))
    }

    @Test(
        "`kasia` measures the hex of the whole payload",
        arguments: [
            (1749, 3500, true), (1749, 3499, true), (1749, 3498, true), (1749, 3497, false), (1750, 3499, false),
            (1750, 3500, true), (1751, 3500, false), (50_000, 3500, false), (100_000, 3500, false),
        ])
    func measuresHexOfPayload(count: Int, limit: Int, isCarried: Bool) throws {
        let start = Samples.message("")
        let payload = start + [UInt8](repeating: 0x41, count: count - start.count)
        let bytes = encode(payload, .kasia, limit: limit)
        #expect(bytes.count <= 4096)
        #expect(try NotificationText(bytes).payload == (isCarried ? Hex.encode(payload) : nil))
    }

    @Test("A payload under the limit goes in only while the whole is at most 4096 bytes, to the byte")
    func measuresTheWhole() throws {
        // Each quotation mark is two bytes; an `A` at the front makes the odd sizes.
        var sizes: Set<Int> = []
        for filler in ["", "A"] {
            let empty = encode(Samples.message("Q" + filler), .kachat).count - 1
            for count in 1500...2000 {
                let body = "\"" + filler + String(repeating: "\"", count: count)
                let bytes = encode(Samples.message(body), .kachat)
                let size = empty + 2 + 2 * count
                sizes.insert(size)
                #expect(try NotificationText(bytes).payload == (size <= 4096 ? body : nil), "\(size) bytes")
                #expect(bytes.count <= 4096)
            }
        }
        #expect(sizes.isSuperset(of: [4095, 4096, 4097]))
    }

    @Test(
        "No address, of any network and version, takes a notification over 4096 bytes",
        arguments: AddressPrefix.allCases, Address.Version.allCases)
    func fitsAnyAddress(prefix: AddressPrefix, version: Address.Version) throws {
        let sender = Samples.address(0xff, prefix: prefix, version: version)
        let bodies = [
            String(repeating: "\"", count: 3500), String(repeating: "\\", count: 1700),
            String(repeating: "A", count: 3500), #"{"message":"\#(String(repeating: #"\u0001"#, count: 500))"}"#,
            #"{"message":"\#(String(repeating: #"\\"#, count: 1900))"}"#,
        ]
        for format in [DeviceRecord.PayloadFormat.kasia, .kachat] {
            for body in bodies {
                let payloads: [(PushKind, [UInt8])] = [
                    (.contextualMessage, Samples.message(body)), (.payment, Samples.payment(body)),
                    (.handshake, Samples.handshake(body)),
                    (.groupMessage, Samples.groupMessage(by: Samples.alice)),
                    (.contextualMessage, Samples.inboxMessage(body)),
                    (.broadcast, Samples.broadcast(body, channel: String(repeating: "\u{1}", count: 36))),
                ]
                for (kind, payload) in payloads {
                    let bytes = encode(payload, format, sender: sender, kind: kind)
                    #expect(bytes.count <= 4096)
                    _ = try NotificationText(bytes)
                }
            }
        }
    }

    @Test(
        "A memo that does not fit is left out before the payload",
        arguments: [
            (10, true, true), (1250, false, true), (1700, false, true), (1800, true, false), (3000, true, false),
            (3900, false, false), (24_000, false, false), (100_000, false, false),
        ])
    func leavesOutMemo(count: Int, hasMemo: Bool, hasPayload: Bool) throws {
        let memo = String(repeating: "m", count: count)
        let payload = Samples.payment(#"{"message":"\#(memo)"}"#)
        let bytes = encode(payload, .kasia, kind: .payment)
        let text = try NotificationText(bytes)
        #expect(bytes.count <= 4096)
        #expect(text.memo == (hasMemo ? memo : nil))
        #expect(text.payload == (hasPayload ? Hex.encode(payload) : nil))
    }

    @Test("Thousands of random deliveries: valid JSON, at most 4096 bytes, the payload there exactly if it fits")
    func holdsForRandomDeliveries() throws {
        var random = SeededRandom()
        print("PayloadRuleTests.holdsForRandomDeliveries: TEST_SEED=\(random.seed)")
        for _ in 0..<4000 {
            try checkRandomDelivery(&random)
        }
    }

    private func checkRandomDelivery(_ random: inout SeededRandom) throws {
        let limit = random.hit(2) ? 3500 : Int.random(in: 1...3500, using: &random)
        let kind = [PushKind.contextualMessage, .payment, .handshake].randomElement(using: &random) ?? .payment
        let body = randomBody(&random)
        let start =
            switch kind {
            case .payment: Samples.payment("")
            case .handshake: Samples.handshake("")
            default: random.hit(2) ? Samples.message("") : Samples.inboxMessage("")
            }
        let payload = start + body
        let version = Address.Version.allCases.randomElement(using: &random) ?? .schnorr
        let sender = random.hit(8) ? nil : Samples.address(UInt8.random(in: 0...255, using: &random), version: version)
        let format: DeviceRecord.PayloadFormat = random.hit(2) ? .kasia : .kachat
        let bytes = encode(payload, format, limit: limit, sender: sender, kind: kind)
        let text = try NotificationText(bytes)
        let isText = body.allSatisfy { 0x20 <= $0 && $0 < 0x7f }
        let string =
            format == .kasia
            ? Hex.encode(payload) : isText ? String(decoding: body, as: UTF8.self) : Hex.encode(body)
        let escapes = format == .kachat && isText ? body.count { $0 == 0x22 || $0 == 0x5c } : 0
        // What a notification weighs beside its payload, seen on one whose body is empty.
        let empty = encode(start, format, sender: sender, kind: kind)
        let besides = empty.count - (format == .kasia ? start.count * 2 : 0)
        let fits = string.utf8.count <= limit && besides + string.utf8.count + escapes <= 4096
        try #require(bytes.count <= 4096 && text.payload == (fits ? string : nil), "seed \(random.seed)")
    }

    @Test("Thousands of random broadcasts: valid JSON, at most 4096 bytes, the preview at most 150 characters")
    func holdsForRandomBroadcasts() throws {
        var random = SeededRandom()
        print("PayloadRuleTests.holdsForRandomBroadcasts: TEST_SEED=\(random.seed)")
        for _ in 0..<4000 {
            let channel = randomText(&random, upTo: 40).filter { $0 != ":" }
            let content = random.hit(2) ? Array(randomText(&random, upTo: 4000).utf8) : randomBody(&random)
            let isReply = random.hit(3)
            let start = Array((isReply ? #"{"type":"reply","text":""# : "").utf8)
            let end = Array((isReply ? #""}"# : "").utf8)
            let payload = Samples.broadcast("", channel: channel) + start + content + end
            let version = Address.Version.allCases.randomElement(using: &random) ?? .schnorr
            let sender =
                random.hit(8) ? nil : Samples.address(UInt8.random(in: 0...255, using: &random), version: version)
            let format: DeviceRecord.PayloadFormat = random.hit(2) ? .kasia : .kachat
            let bytes = encode(payload, format, sender: sender, kind: .broadcast)
            let text = try NotificationText(bytes)
            try #require(bytes.count <= 4096, "seed \(random.seed)")
            guard ChannelName(channel)?.text != nil else { continue }
            try #require((text.alertBody?.count ?? .max) <= 150, "seed \(random.seed)")
            try #require(text.payload == nil && text.members["sender"] == nil, "seed \(random.seed)")
        }
    }

    @Test(
        "The widest broadcasts fit",
        arguments: ["\u{1}", "\r\n", "\"", "👨‍👩‍👧‍👦", "\u{fffd}", "e\u{301}", "\u{301}", "\u{600}\""])
    func fitsWidestBroadcasts(character: String) throws {
        let channel = String(repeating: "\u{1}", count: 36)
        // Many characters, and then one of many marks.
        for count in [0, 1, 147, 148, 149, 150, 4_000] {
            let content =
                String(repeating: character, count: count) + "a" + String(repeating: "\u{1d167}", count: 2_000)
            let payload = Samples.broadcast(content, channel: channel)
            for format in [DeviceRecord.PayloadFormat.kasia, .kachat] {
                let bytes = encode(payload, format, kind: .broadcast)
                #expect(bytes.count <= 4096)
                #expect(try NotificationText(bytes).members["type"] as? String == "broadcast")
            }
        }
    }

    /// Letters, marks, emoji, control characters and what JSON escapes.
    private func randomText(_ random: inout SeededRandom, upTo count: Int) -> String {
        let characters: [String] = [
            "a", "Z", "\u{301}", "👩‍👩", "\u{1}", "\"", "\\", "\r\n", "\u{1f1e9}", "\u{200d}", "{", "ß",
        ]
        let few = characters.filter { _ in random.hit(2) }
        return (0..<Int.random(in: 0...count, using: &random)).map { _ in few.randomElement(using: &random) ?? "a" }
            .joined()
    }

    /// Sizes near the limits, bytes of every kind.
    private func randomBody(_ random: inout SeededRandom) -> [UInt8] {
        let sizes = [0...40, 1500...1800, 3300...3600, 3900...4200]
        let count = Int.random(in: sizes.randomElement(using: &random) ?? 0...1, using: &random)
        switch random.next() % 5 {
        case 0: return random.bytes(count)
        case 1: return (0..<count).map { _ in UInt8.random(in: 0x20...0x7e, using: &random) }
        case 2: return (0..<count).map { _ in random.hit(3) ? 0x22 : 0x5c }
        case 3: return Array(#"{"message":"\#(String(repeating: "é\u{7f}", count: count / 3))"}"#.utf8)
        default: return Array(#"{"message":"\#(String(repeating: #"\u0000"#, count: count / 6))"}"#.utf8)
        }
    }
}
