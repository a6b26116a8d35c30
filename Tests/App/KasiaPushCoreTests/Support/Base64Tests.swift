import Foundation
import TestRandom
import Testing

@testable import KasiaPushCore

@Suite("Base64")
struct Base64Tests {
    @Test("is written as Foundation writes it, and read back")
    func roundTrip() {
        var random = SeededRandom()
        for count in 0..<100 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let text = Base64.encode(bytes)
            #expect(text == Data(bytes).base64EncodedString(), "seed \(random.seed)")
            #expect(Base64.decode(text.utf8) == bytes, "seed \(random.seed)")
            let url = text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            #expect(Base64.decode(url.utf8) == bytes, "seed \(random.seed)")
        }
    }

    @Test(
        "is nothing else",
        arguments: ["=", "==", "====", "A", "A===", "AA=", "AAA==", "AAAA=", "A=AA", "AA A", "AAAä", "AA==AA=="])
    func refused(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }

    @Test(
        "may be without padding",
        arguments: [("AA", [0]), ("AAA", [0, 0]), ("AA==", [0]), ("", [])] as [(String, [UInt8])])
    func padding(text: String, bytes: [UInt8]) {
        #expect(Base64.decode(text.utf8) == bytes)
    }
}
