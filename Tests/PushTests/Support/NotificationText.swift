import Foundation
import Testing

/// A notification read back with another JSON library than the one that is tested.
struct NotificationText {
    private let root: [String: Any]

    init(_ bytes: [UInt8]) throws {
        let value = try JSONSerialization.jsonObject(with: Data(bytes))
        root = try #require(value as? [String: Any])
    }

    /// The members that are the app's: those of `kasia`, or in the flat shape all beside `aps`.
    var members: [String: Any] { root["kasia"] as? [String: Any] ?? root }

    var alertBody: String? { ((root["aps"] as? [String: Any])?["alert"] as? [String: Any])?["body"] as? String }

    /// nil when it was left out: null in one shape, absent in the other.
    var payload: String? { members["payload"] as? String }
    var memo: String? { members["memo"] as? String }
    var seq: UInt64? { (members["seq"] as? NSNumber)?.uint64Value }
}
