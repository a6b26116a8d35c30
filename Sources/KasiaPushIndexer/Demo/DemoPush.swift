import Foundation
import Kaspa

/// A notification in a JSON line of the stand-in (`push-sandbox --json`).
struct DemoPush: Hashable, Sendable {
    /// The kind of a push.
    enum Kind: Hashable, Sendable {
        case message, payment, contactRequest
        /// Another kind, with the title that the phone shows.
        case other(String)
    }

    let carrier: DemoCarrier
    let token: String
    /// The refusal's status and reason; nil when the notification was accepted.
    let refusal: String?
    let kind: Kind
    /// The sender's address; nil when it is unknown.
    let sender: String?
    let amount: Sompi?
    let transaction: String?

    /// Parses a line; nil if it is not a notification.
    init?(line: String) {
        let decoder = JSONDecoder()
        guard line.hasPrefix("{"), let entry = try? decoder.decode(Entry.self, from: Data(line.utf8)) else {
            return nil
        }
        // Of Web Push the body is encrypted.
        let text = entry.carrier == .webPush ? entry.contents ?? "" : entry.body
        let body = try? decoder.decode(DemoPushBody.self, from: Data(text.utf8))
        let fields = body?.fields
        carrier = entry.carrier
        token = entry.token
        refusal = entry.accepted ? nil : "\(entry.status) \(entry.reason ?? "without a reason")"
        kind = Kind(fields?.type, title: body?.title ?? fields?.title)
        sender = fields?.sender.flatMap { $0.isEmpty ? nil : $0 }
        amount = fields?.amount.map { Sompi($0) }
        transaction = fields?.transaction
    }

    /// The text on the phone: `Payment Received, 7 KAS from Alice`.
    var text: String {
        if let refusal { return "The stand-in for \(carrier.name) refused a push: \(refusal)" }
        let coins = amount.map { ", \($0)" } ?? ""
        return "\(kind.title)\(coins) from \(sender.map(DemoCast.name) ?? "an unknown sender")"
    }

    private struct Entry: Decodable {
        let carrier: DemoCarrier
        let token: String
        let status: Int
        let reason: String?
        let accepted: Bool
        let body: String
        let contents: String?
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
