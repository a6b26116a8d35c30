import Foundation
import Kaspa

/// A notification in a JSON line of Apple's stand-in (`apns-sandbox --json`).
struct DemoPush: Hashable, Sendable {
    /// The kind of a push.
    enum Kind: Hashable, Sendable {
        case message, payment, contactRequest
        /// Another kind, with the title that the phone shows.
        case other(String)
    }

    let token: String
    /// The refusal's status and reason; nil when the notification was accepted.
    let refusal: String?
    let kind: Kind
    /// The sender's address; nil when it is unknown.
    let sender: String?
    let amount: Sompi?
    let transaction: String?

    /// Parses a line; nil if it is not a request.
    init?(line: String) {
        let decoder = JSONDecoder()
        guard line.hasPrefix("{"), let entry = try? decoder.decode(Entry.self, from: Data(line.utf8)) else {
            return nil
        }
        let body = try? decoder.decode(Body.self, from: Data(entry.body.utf8))
        // Format `kasia` nests its fields; format `kachat` has them at the top.
        let fields = body?.kasia ?? body?.fields
        token = entry.token
        refusal = entry.accepted ? nil : "\(entry.status) \(entry.reason ?? "without a reason")"
        kind = Kind(fields?.type, title: body?.aps?.alert?.title)
        sender = fields?.sender.flatMap { $0.isEmpty ? nil : $0 }
        amount = fields?.amount.map { Sompi($0) }
        transaction = fields?.txId ?? fields?.tx_id
    }

    /// The text on the phone: `Payment Received, 7 KAS from Alice`.
    var text: String {
        if let refusal { return "Apple's stand-in refused a push: \(refusal)" }
        let coins = amount.map { ", \($0)" } ?? ""
        return "\(kind.title)\(coins) from \(sender.map(DemoCast.name) ?? "an unknown sender")"
    }

    private struct Entry: Decodable {
        let token: String
        let status: Int
        let reason: String?
        let accepted: Bool
        let body: String
    }

    private struct Body: Decodable {
        struct Aps: Decodable {
            struct Alert: Decodable { let title: String? }
            let alert: Alert?
        }

        struct Fields: Decodable {
            let type: String?
            let sender: String?
            let amount: UInt64?
            let txId: String?
            let tx_id: String?
        }

        let aps: Aps?
        let kasia: Fields?
        let fields: Fields?

        enum CodingKeys: CodingKey { case aps, kasia }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            aps = try? container.decode(Aps.self, forKey: .aps)
            kasia = try? container.decode(Fields.self, forKey: .kasia)
            fields = try? Fields(from: decoder)
        }
    }
}

extension DemoPush.Kind {
    /// The kind by the notification's `type`, in either format.
    init(_ type: String?, title: String?) {
        self =
            switch type {
            case "contextual_message", "contextual": .message
            case "payment": .payment
            case "handshake": .contactRequest
            default: .other(title ?? "Notification")
            }
    }

    /// The title on the phone.
    var title: String {
        switch self {
        case .message: "New Message"
        case .payment: "Payment Received"
        case .contactRequest: "New Contact Request"
        case .other(let title): title
        }
    }
}
