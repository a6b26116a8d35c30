import Testing

@testable import FCM

@Suite("Sealed bodies")
struct SealedBodyTests {
    @Test(
        "are base64 of the bytes, however they stand on the chain",
        arguments: [
            ("c2VhbGVk", "c2VhbGVk"),  // base64 as it is
            ("c2VhbGVkIQ==", "c2VhbGVkIQ=="), ("c2VhbGVkIQ", "c2VhbGVkIQ=="),  // with its padding
            ("-_-_", "+/+/"), ("7365616c6564", "c2VhbGVk"), ("7365616C6564", "c2VhbGVk"),  // hexadecimal
            (#"{"a":1}"#, "eyJhIjoxfQ=="), ("a:b", "YTpi"), ("c2Vhb", "YzJWaGI="), ("====", "PT09PQ=="),
            ("YQ=", "WVE9"), ("YQ===", "WVE9PT0="), ("f", "Zg=="), ("", ""),
        ])
    func base64(body: String, text: String) {
        #expect(SealedBody.base64(of: Array(body.utf8)[...]) == text)
    }

    @Test("may be any bytes")
    func raw() {
        #expect(SealedBody.base64(of: [0x00, 0xff, 0x80]) == "AP+A")
        #expect(SealedBody.base64(of: ([1, 2, 0x00, 0xff, 0x80] as [UInt8])[2...]) == "AP+A")
    }

    @Test("are never shorter than the least that is promised")
    func minimum() {
        for body in ["", "ab", "abcd", "YQ", "c2VhbGVk", "-_-_"] {
            let bytes = Array(body.utf8)[...]
            #expect(SealedBody.base64(of: bytes).utf8.count >= SealedBody.minimumLength(of: bytes))
        }
    }
}
