import Testing

@testable import APNsSandbox

@Suite("Texts of the wire")
struct TextTests {
    @Test(
        "in base64url are read strictly, and written without padding",
        arguments: [
            ("", [] as [UInt8]?), ("AA", [0]), ("-_8", [251, 255]), ("AAAA", [0, 0, 0]), ("AA==", nil), ("+/8", nil),
            ("A A", nil), ("A", nil), ("é", nil),
        ])
    func base64(text: String, bytes: [UInt8]?) {
        #expect(Base64URL.decode(text) == bytes)
        if let bytes { #expect(Base64URL.encode(bytes) == text) }
    }

    @Test(
        "of a form are read field by field",
        arguments: [
            ("a=1", "1" as String?), ("b=2&a=1", "1"), ("a=1%3A%2b+x", "1:+ x"), ("a=", ""), ("a", ""),
            ("a=b=c", "b=c"), ("b=1", nil), ("", nil), ("a=1&a=1", nil),
        ])
    func form(text: String, value: String?) throws {
        let form = try #require(FormFields(Array(text.utf8)))
        #expect(form["a"] == value)
    }

    @Test("of a form that is broken are refused", arguments: ["a=%", "a=%1", "a=%1g", "%zz=1", "a=%ff"])
    func brokenForm(text: String) {
        #expect(FormFields(Array(text.utf8)) == nil)
    }
}
