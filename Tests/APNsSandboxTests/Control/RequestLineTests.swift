import FoundationEssentials
import Testing

@testable import APNsSandbox

@Suite("A request as a line of JSON")
struct RequestLineTests {
    @Test("is one line, whatever the body, and has the members that the control endpoint has")
    func oneLine() throws {
        let body = "{\"aps\":{\"alert\":\"one\ntwo\"}}\u{2028}"
        let request = ReceivedNotification(
            number: 7, token: "ab", id: "123e4567-e89b-12d3-a456-42661417400a", body: Array(body.utf8),
            bodyLength: body.utf8.count, receivedAt: Date(timeIntervalSince1970: 1.5), connection: 1, stream: 3,
            status: 410, reason: "Unregistered", ending: .answered, isAccepted: false)
        let line = request.json
        #expect(line.hasPrefix("{") && !line.contains("\n"))
        let members = try JSONDecoder().decode([String: Member].self, from: Data(line.utf8))
        #expect(members["body"] == .text(body))
        #expect(members["token"] == .text("ab"))
        #expect(members["reason"] == .text("Unregistered"))
        #expect(members["status"] == .number(410))
        #expect(members["received_at"] == .number(1500))
        #expect(members["accepted"] == .truth(false))
        #expect(line == JSONText.line(ControlEntry(request)))
    }

    private enum Member: Decodable, Equatable {
        case text(String), number(Int), truth(Bool)

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let text = try? value.decode(String.self) {
                self = .text(text)
            } else if let truth = try? value.decode(Bool.self) {
                self = .truth(truth)
            } else {
                self = .number(try value.decode(Int.self))
            }
        }
    }
}
