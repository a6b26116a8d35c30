import HTTPTypes
import Kaspa
import Store
import Testing

@testable import API

@Suite("DeviceToken")
struct DeviceTokenTests {
    /// The kind of a text, or the beginning of what is wrong with it.
    private func read(_ text: String) -> String {
        do {
            return try DeviceToken(text).carrier.label
        } catch {
            return (error as? APIError)?.message ?? "\(error)"
        }
    }

    @Test("an https URL is an endpoint, hex digits are Apple's, and everything else is FCM's")
    func kinds() {
        let hex = String(repeating: "0aF", count: 22)
        for text in [hex, "<\(hex)>", hex.map { "\($0)" }.joined(separator: ":"), "-" + hex] {
            #expect(read(text) == "apns", "\(text)")
        }
        for text in [hex + "g", hex + "_", hex + ".", fcmToken, String(repeating: "G", count: 64)] {
            #expect(read(text) == "fcm", "\(text)")
        }
        for text in ["https://a", "https://push.example.org:8443/x?y#z", "https://" + hex] {
            #expect(read(text) == "web_push", "\(text)")
        }
    }

    @Test("an FCM token has 64 to 4096 characters", arguments: [1, 63, 64, 65, 4_095, 4_096, 4_097])
    func fcmCharacters(count: Int) {
        let text = "z" + String(repeating: "0", count: count - 1)
        let words =
            "device_token has a character that is not a hex digit; an FCM token must have 64 to 4096 characters, "
        #expect(read(text) == ((64...4_096).contains(count) ? "fcm" : words + "not \(count)"))
    }

    @Test("an FCM token has no other characters, and none is dropped or changed")
    func fcmAlphabet() throws {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-:."
        #expect(try DeviceToken(alphabet).bytes == Array(alphabet.utf8))
        for scalar in (0...0x17f).compactMap(Unicode.Scalar.init) where !alphabet.unicodeScalars.contains(scalar) {
            #expect(read(alphabet + String(scalar)).contains("has a character that is not a hex digit, and none of"))
        }
    }

    @Test("an endpoint has at most 1000 bytes", arguments: [9, 999, 1_000, 1_001])
    func endpointBytes(count: Int) {
        let text = "https://" + String(repeating: "a", count: count - 8)
        #expect(read(text) == (count <= 1_000 ? "web_push" : "device_token is longer than 1000 bytes"))
    }

    @Test(
        "an endpoint has a host, and nothing that a URL escapes",
        arguments: [
            ("https://", "has no host"), ("https:///a", "has no host"), ("https://?a", "has no host"),
            ("https://#a", "has no host"), ("https://:443", "has no host"), ("https://a b", "must escape"),
            ("https://a\n", "must escape"), ("https://ä", "must escape"), ("https://a\u{7f}", "must escape"),
        ])
    func endpointShape(text: String, words: String) {
        #expect(read(text).hasSuffix(words))
    }

    @Test("signatures cover Apple's token in lower case, and every other as it is")
    func signedText() throws {
        let hex = String(repeating: "0aF", count: 22)
        #expect(try DeviceToken("<\(hex)>").signedText == hex.lowercased())
        for text in [fcmToken, "https://Push.Example.org/A"] {
            let token = try DeviceToken(text)
            #expect(token.signedText == text && token.bytes == Array(text.utf8))
        }
    }

    @Test("a token for ringing is Apple's, whatever else its text may look like")
    func ringing() {
        for text in [fcmToken, "https://push.example.org/1"] {
            #expect(throws: APIError.badRequest("voip_token has a character that is not a hex digit")) {
                try DeviceToken.apple(text, naming: "voip_token")
            }
        }
    }
}
