import JSON
import Testing

@testable import API

@Suite("JSONAnswer")
struct JSONAnswerTests {
    @Test("members keep their order and texts are escaped")
    func text() throws {
        let answer = JSONAnswer.object([
            ("b", .array([.null, .boolean(true), .boolean(false), .integer(.max), .string("\"\\\n\u{2028}é")])),
            ("a", .object([])), ("\"", .array([])),
        ])
        #expect(
            answer.text == #"{"b":[null,true,false,18446744073709551615,"\"\\\n\u2028é"],"a":{},"\"":[]}"#)
        _ = try JSONParser.parse(Array(answer.text.utf8))
    }
}
