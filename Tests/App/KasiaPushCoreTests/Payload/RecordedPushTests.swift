import Foundation
import Kaspa
import Testing

@testable import KasiaPushCore

@Suite("Recorded pushes")
struct RecordedPushTests {
    /// The 90 pushes that the service has to send for the recorded blocks.
    private static func bodies() throws -> [[String: Any]] {
        let data = try Fixture.data("recorded-blocks.notifications.json")
        let file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let notifications = try #require(file["notifications"] as? [[String: Any]])
        return try notifications.map { try #require($0["body"] as? [String: Any]) }
    }

    @Test("are read from JSON and from what iOS gives, alike and without loss")
    func all() throws {
        let bodies = try Self.bodies()
        #expect(bodies.count == 90)
        var kinds: [String: Int] = [:]
        for body in bodies {
            let json = Array(try JSONSerialization.data(withJSONObject: body))
            let push = try PushPayload(json: json)
            #expect(PushPayload(userInfo: body) == push)
            if case .unknown = push { Issue.record("\(body) was not recognised") }
            let details = try #require(push.details)
            kinds[details.type, default: 0] += 1
            let content = body["kasia"] as? [String: Any] ?? body
            #expect(details.transactionID == (content["txId"] ?? content["tx_id"]) as? String)
            #expect(details.sender == content["sender"] as? String)
            #expect(details.timestamp == (content["timestamp"] as? NSNumber)?.uint64Value)
            #expect((content["payload"] as? String == nil) == (push.sealed == nil))
            if let payload = content["payload"] as? String, body["kasia"] == nil {
                #expect(push.sealed?.bytes == Array(payload.utf8))
            }
        }
        #expect(kinds["contextual_message"] == 30 && kinds["payment", default: 0] > 16)
    }
}
