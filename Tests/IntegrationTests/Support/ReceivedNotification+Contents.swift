import APNsSandbox
import Foundation

extension ReceivedNotification {
    /// The body's JSON.
    var object: [String: Any]? { try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] }

    /// Of a message to Android the member `data`.
    var androidData: [String: String]? { (object?["message"] as? [String: Any])?["data"] as? [String: String] }

    /// Of a message to a browser what the browser has decrypted.
    var browserContents: [String: Any]? {
        contents.flatMap { try? JSONSerialization.jsonObject(with: Data($0)) as? [String: Any] }
    }

    /// The transaction that it tells of; empty when it names none.
    var transaction: String {
        switch carrier {
        case .apns: collapseID ?? ""
        case .fcm: androidData?["tx_id"] ?? ""
        default: browserContents?["tx_id"] as? String ?? ""
        }
    }

    /// The device's number for it.
    var sequenceNumber: Int? {
        switch carrier {
        case .apns: (object?["kasia"] as? [String: Any])?["seq"] as? Int
        case .fcm: androidData?["seq"].flatMap { Int($0) }
        default: browserContents?["seq"] as? Int
        }
    }

    /// What its device shows, without what differs from one attempt to the next: a time to live, a salt.
    var shown: [UInt8] {
        switch carrier {
        case .apns: body
        case .fcm: Array((androidData ?? [:]).sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined().utf8)
        default: contents ?? []
        }
    }
}
