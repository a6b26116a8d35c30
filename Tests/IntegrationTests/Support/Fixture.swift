import Foundation
import Recordings
import Testing
import KaspadReplay

/// The recorded blocks and what they must lead to, as `Tests/Fixtures/README.md` describes them.
enum Fixture {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures")

    static func recording() throws -> Recording {
        try Recording(contentsOf: folder.appendingPathComponent("recorded-blocks.recording").path)
    }

    static func goldenNotifications() throws -> GoldenNotifications {
        let data = try Data(contentsOf: folder.appendingPathComponent("recorded-blocks.notifications.json"))
        return try GoldenNotifications(json: data)
    }
}

/// `recorded-blocks.notifications.json`: devices, and exactly what they are sent.
struct GoldenNotifications: Sendable {
    struct Device: Sendable {
        let name: String
        let token: String
        /// The body of `POST /v1/push/register`.
        let registration: Data
    }

    struct Notification: Sendable {
        let device: String
        let operation: String
        let token: String
        let transactionID: String
        /// Which chain block accepted it, counted from the start: per device, `seq` follows this order.
        let chainIndex: Int
        let apnsID: String
        /// JSON; everything but `seq`.
        let json: Data

        var body: NSDictionary? { try? JSONSerialization.jsonObject(with: json) as? NSDictionary }
    }

    let devices: [Device]
    let notifications: [Notification]

    init(json: Data) throws {
        let document = try #require(JSONSerialization.jsonObject(with: json) as? [String: Any])
        devices = try (document["devices"] as? [[String: Any]] ?? []).map { entry in
            let registration = try #require(entry["registration"] as? [String: Any])
            return Device(
                name: try #require(entry["name"] as? String),
                token: try #require(registration["device_token"] as? String),
                registration: try JSONSerialization.data(withJSONObject: registration))
        }
        notifications = try (document["notifications"] as? [[String: Any]] ?? []).map { entry in
            Notification(
                device: try #require(entry["device"] as? String),
                operation: try #require(entry["operation"] as? String),
                token: try #require(entry["token"] as? String),
                transactionID: try #require(entry["tx_id"] as? String),
                chainIndex: try #require(entry["chain_index"] as? Int),
                apnsID: try #require(entry["apns_id"] as? String),
                json: try JSONSerialization.data(withJSONObject: try #require(entry["body"] as? NSDictionary)))
        }
    }
}
