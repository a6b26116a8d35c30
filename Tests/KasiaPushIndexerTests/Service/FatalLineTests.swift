import Foundation
import Testing

@testable import KasiaPushIndexer

@Suite("The last line")
struct FatalLineTests {
    private let sentence = "store.path /x: \"locked\""

    @Test("for people is the sentence alone")
    func text() {
        let line = FatalLine.text(sentence, format: .text, time: LogTimestamp(milliseconds: 0))
        #expect(line == sentence + "\n")
    }

    @Test("for machines is an object of the log, with the sentence in it")
    func json() throws {
        let line = FatalLine.text(sentence, format: .json, time: LogTimestamp(milliseconds: 0))
        #expect(line.hasSuffix("}\n") && line.count { $0.isNewline } == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["level"] as? String == "critical" && object["message"] as? String == "service.failed")
        #expect((object["metadata"] as? [String: String]) == ["error.message": sentence])
    }
}
