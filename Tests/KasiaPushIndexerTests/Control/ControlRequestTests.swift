import Testing

@testable import KasiaPushIndexer

@Suite("ControlRequest")
struct ControlRequestTests {
    @Test(
        "reads back what it writes",
        arguments: [
            ControlRequest.ping, .compact, .keepProviderToken, .sending, .backup(directory: "/var/back ups/ü"),
            .remove(token: [UInt8](repeating: 9, count: 32)), .remove(token: [UInt8](repeating: 9, count: 256)),
        ])
    func roundTrip(request: ControlRequest) {
        #expect(ControlRequest(line: request.line) == request)
    }

    @Test(
        "takes nothing else",
        arguments: [
            "", " ", "Ping", "ping ", "ping x", "compact all", "sending x", "backup", "backup ", "backup relative",
            "backup /a\0b", "remove", "remove ", "remove xyz", "remove " + String(repeating: "a", count: 30),
            "remove " + String(repeating: "a", count: 8_194), "restore /x",
        ])
    func refuses(line: String) {
        #expect(ControlRequest(line: line) == nil)
    }

    @Test("a reply stays one line of bounded length whatever an error says")
    func reply() {
        for reply in [ControlReply.progress("a"), .done(""), .failed("b c")] {
            #expect(ControlReply(line: reply.line) == reply)
        }
        #expect(ControlReply.failed("a\nb\r\nc\u{2028}d").line == "failed a b c d")
        let long = ControlReply.failed(String(repeating: "é", count: 100_000)).line
        #expect(long.utf8.count <= ControlRequest.maximumLineBytes)
        #expect(ControlReply(line: "else") == nil && ControlReply(line: "") == nil)
    }
}
