import Foundation
import KasiaPushCore
import Testing

@Suite("Device tokens")
struct PushTokenTests {
    @Test(
        "Apple's is lower-case hex, of 32 to 256 bytes",
        arguments: [(31, false), (32, true), (256, true), (257, false)])
    func apple(count: Int, isGood: Bool) throws {
        let bytes = [UInt8](repeating: 0xAB, count: count)
        guard isGood else {
            #expect(throws: PushTokenError.wrongLength) { try PushToken.apns(bytes) }
            return
        }
        let token = try PushToken.apns(bytes)
        #expect(token.text == String(repeating: "ab", count: count))
        #expect(token.carrier == .apns)
        #expect(try PushToken(token.text) == token)
    }

    @Test("Apple's bytes that spell another carrier's token are refused")
    func spelling() throws {
        let endpoint = Array("https://push.example.org/aaaaaaaa".utf8)
        #expect(throws: PushTokenError.spellsAnotherToken) { try PushToken.apns(endpoint) }
        let fcm = [UInt8](repeating: 0x61, count: 64)
        #expect(throws: PushTokenError.spellsAnotherToken) { try PushToken.apns(fcm) }
        _ = try PushToken.apns(fcm.dropLast())
        _ = try PushToken.apns(fcm.dropLast() + [0x20])
    }

    @Test("A written one of Apple's loses case and separators")
    func separators() throws {
        let digits = String(repeating: "AbCd", count: 16)
        let token = try PushToken("<" + digits.prefix(8) + " " + digits.dropFirst(8) + ">")
        #expect(token.text == digits.lowercased())
        #expect(throws: PushTokenError.wrongLength) { try PushToken(digits + "a") }
        #expect(throws: PushTokenError.wrongLength) { try PushToken("") }
        #expect(throws: PushTokenError.wrongLength) { try PushToken(String(repeating: "a", count: 100_000)) }
    }

    @Test("FCM's is taken as it is, of 64 to 4,096 characters", arguments: [63, 64, 4_096, 4_097])
    func fcm(count: Int) throws {
        let text = String("dV3nT9xK:APA91b_-.".prefix(18) + String(repeating: "Z", count: count - 18))
        guard (64...4_096).contains(count) else {
            #expect(throws: PushTokenError.wrongLength) { try PushToken.fcm(text) }
            return
        }
        #expect(try PushToken.fcm(text).text == text)
        #expect(try PushToken(text) == PushToken.fcm(text))
        #expect(try PushToken.fcm(text).carrier == .fcm)
    }

    @Test("FCM's has only its characters, and more than hex digits")
    func fcmCharacters() {
        let long = String(repeating: "z", count: 63)
        for character in ["/", " ", "ä", "\n", "+"] {
            #expect(throws: PushTokenError.wrongCharacter) { try PushToken.fcm(long + character) }
        }
        #expect(throws: PushTokenError.spellsAnotherToken) { try PushToken.fcm(String(repeating: "a:", count: 32)) }
    }

    @Test("An endpoint is an https URL of at most 1,000 bytes", arguments: [999, 1_000, 1_001])
    func endpoint(count: Int) throws {
        let text = "https://push.example.org/" + String(repeating: "A", count: count - 25)
        guard count <= 1_000 else {
            #expect(throws: PushTokenError.wrongLength) { try PushToken.webPush(endpoint: text) }
            return
        }
        let token = try PushToken.webPush(endpoint: text)
        #expect(token.text == text && token.carrier == .webPush)
        #expect(try PushToken(text) == token)
    }

    @Test("Other URLs are no endpoints")
    func badEndpoints() {
        for text in ["http://push.example.org/a", "HTTPS://push.example.org/a", "https://", "https:///a", "https://?a"]
        {
            #expect(throws: PushTokenError.notHTTPS) { try PushToken.webPush(endpoint: text) }
        }
        for text in ["https://push.example.org/a b", "https://push.example.org/ä", "https://push.example.org/\n"] {
            #expect(throws: PushTokenError.wrongCharacter) { try PushToken.webPush(endpoint: text) }
        }
    }

    @Test("The hash is the SHA-256 of the text")
    func hash() throws {
        let token = try PushToken("00000000000000000000000000000000000000000000000000000000000000Ab")
        #expect(token.hash == "6e89c06a6c1d8475675226a2c1af55c1aa6b7fad22898650afad6163dfe182b0")
    }

    @Test("It is stored as its text, and read back only if it is one")
    func coding() throws {
        let tokens = [
            try PushToken.apns(Array(0..<32)), try .fcm(String(repeating: "z", count: 64)),
            try .webPush(endpoint: "https://push.example.org/secret"),
        ]
        let data = try JSONEncoder().encode(tokens)
        #expect(try JSONDecoder().decode([PushToken].self, from: data) == tokens)
        #expect(try JSONDecoder().decode([String].self, from: data) == tokens.map(\.text))
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([PushToken].self, from: Data(#"["short-secret"]"#.utf8))
        }
        #expect(!String(describing: error).contains("short-secret"))
    }

    @Test("It is not printed, nor is it what an error says")
    func printing() throws {
        let token = try PushToken.webPush(endpoint: "https://push.example.org/secret")
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), "\([token])", dumped] {
            #expect(!text.contains("secret") && text.contains(token.hash.prefix(8)))
        }
        #expect("\(PushTokenError.wrongLength)".hasSuffix("."))
    }

    @Test("Every platform has the carrier that the service gives it")
    func platforms() {
        let carriers = PushPlatform.allCases.map { "\($0.rawValue) \($0.carrier.rawValue)" }
        #expect(carriers == ["ios apns", "macos apns", "android fcm", "web webPush", "unifiedpush webPush"])
    }
}
