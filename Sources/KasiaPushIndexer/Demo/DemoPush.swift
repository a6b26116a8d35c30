import Foundation
import KasiaPushCore

/// A notification in a JSON line of the stand-in (`push-sandbox --json`).
struct DemoPush: Hashable, Sendable {
    /// The kind of a push.
    enum Kind: Hashable, Sendable {
        case message, payment, contactRequest, other
    }

    let carrier: DemoCarrier
    let token: String
    /// The refusal's status and reason; nil when the notification was accepted.
    let refusal: String?
    let payload: PushPayload

    /// Parses a line; nil if it is not a notification.
    init?(line: String) {
        guard line.hasPrefix("{"), let entry = try? JSONDecoder().decode(Entry.self, from: Data(line.utf8)) else {
            return nil
        }
        carrier = entry.carrier
        token = entry.token
        refusal = entry.accepted ? nil : "\(entry.status) \(entry.reason ?? "without a reason")"
        payload = entry.payload
    }

    var kind: Kind {
        switch payload {
        case .message: .message
        case .payment: .payment
        case .handshake: .contactRequest
        default: .other
        }
    }

    var transaction: String? { payload.details?.transactionID }

    /// What the device shows, or that there is nothing to show.
    func text(in app: DemoApp) -> String {
        refusal.map { "The stand-in for \(carrier.name) refused a push: \($0)" } ?? app.text(payload)
    }

    private struct Entry: Decodable {
        let carrier: DemoCarrier
        let token: String
        let status: Int
        let reason: String?
        let accepted: Bool
        let body: String
        let contents: String?

        /// The push as the device gets it.
        var payload: PushPayload {
            switch carrier {
            case .apns: Entry.payload(json: body)
            case .fcm:
                (try? JSONDecoder().decode(FCMBody.self, from: Data(body.utf8))).map {
                    PushPayload(data: $0.message.data)
                } ?? Entry.payload(json: "{}")
            // The body is encrypted.
            case .webPush: Entry.payload(json: contents ?? "{}")
            }
        }

        private static func payload(json: String) -> PushPayload {
            (try? PushPayload(json: Array(json.utf8))) ?? PushPayload(data: [:])
        }
    }

    private struct FCMBody: Decodable {
        struct Message: Decodable { let data: [String: String] }
        let message: Message
    }
}
