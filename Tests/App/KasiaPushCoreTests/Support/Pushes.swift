import Foundation
import Kaspa

@testable import KasiaPushCore

/// Pushes as the service's encoders write them, text for text.
enum Pushes {
    static let sender = "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"
    static let other = "kaspa:qzppr38nhrz4mx7vjxyhthdk8n463m4ej5l6vjyqd5fy2gq5jhl6j9zsly4lp"
    static let transaction = "abababababababababababababababababababababababab0000000000000001"
    static let group = String(repeating: "11", count: 32)

    /// The nested shape; `payload` in hex, nil for null.
    static func kasia(
        _ type: String, title: String = "New Message", body: String = "From kaspa:qp...f5k28l",
        category: String? = "KASIA_MESSAGE", sender: String? = sender, thread: String? = sender, extra: String = "",
        payload: String?, seq: UInt64 = 17, wakes: Bool = true
    ) -> String {
        #"{"aps":{"alert":{"title":"\#(title)","body":"\#(body)"},"sound":"default","#
            + (thread.map { #""thread-id":"\#($0)","# } ?? "") + (category.map { #""category":"\#($0)","# } ?? "")
            + #""mutable-content":1"# + (wakes ? #","content-available":1"# : "")
            + #"},"kasia":{"type":"\#(type)","txId":"\#(transaction)","sender":"#
            + (sender.map { "\"\($0)\"" } ?? "null") + #",\#(extra)"payload":"#
            + (payload.map { "\"\($0)\"" } ?? "null")
            + #","timestamp":1704067200000,"daaScore":12345678,"seq":\#(seq)}}"#
    }

    /// Apple's flat shape.
    static func kachat(
        _ type: String, title: String = sender, body: String = "New message", sender: String? = sender,
        aps: String = "", flags: String = "", payload: String?, end: String = ""
    ) -> String {
        #"{"aps":{"alert":{"title":"\#(title)","body":"\#(body)"},\#(aps)"mutable-content":1,"content-available":1},"#
            + #""tx_id":"\#(transaction)","# + (sender.map { #""sender":"\#($0)","# } ?? "")
            + #""type":"\#(type)",\#(flags)"# + (payload.map { #""payload":"\#($0)","# } ?? "")
            + #""timestamp":1704067200000,"daa_score":12345678,"seq":17\#(end)}"#
    }

    /// The JSON of Web Push.
    static func web(
        _ type: String, title: String = sender, body: String = "New message", sender: String? = sender,
        flags: String = "", payload: String?, end: String = ""
    ) -> String {
        #"{"title":"\#(title)","body":"\#(body)","type":"\#(type)","tx_id":"\#(transaction)","#
            + (sender.map { #""sender":"\#($0)","# } ?? "") + flags
            + (payload.map { #""payload":"\#($0)","# } ?? "")
            + #""timestamp":1704067200000,"daa_score":12345678,"seq":17\#(end)}"#
    }

    /// FCM's `data`.
    static func fcm(
        _ type: String, title: String = sender, body: String = "New message", sender: String? = sender,
        extra: [String: String] = [:]
    ) -> [String: String] {
        var data = [
            "type": type, "tx_id": transaction, "timestamp": "1704067200000", "daa_score": "12345678",
            "title": title, "body": body, "seq": "17",
        ]
        data["sender"] = sender
        return data.merging(extra) { $1 }
    }

    /// A VoIP push.
    static func call(
        id: String = "0f8fad5b-d9cb-469f-a165-70867728950e", kind: String = "invite", video: String = "true",
        sender: String = sender, timestamp: String = "1767225600000", payload: String = "beef", extra: String = ""
    ) -> String {
        #"{"call_id":"\#(id)","kind":"\#(kind)","video":\#(video),"sender":"\#(sender)","timestamp":\#(timestamp),"#
            + #"\#(extra)"payload":"\#(payload)"}"#
    }

    static func read(_ json: String) throws -> PushPayload { try PushPayload(json: Array(json.utf8)) }

    /// As iOS gives it: what Foundation makes of the JSON.
    static func userInfo(_ json: String) throws -> [AnyHashable: Any] {
        guard let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [AnyHashable: Any] else {
            throw CocoaError(.coderInvalidValue)
        }
        return object
    }

    /// The details that all of the above have, but for the type and the alert.
    static func details(
        _ type: String, _ alert: PushAlert, sender: String? = sender, seq: UInt64 = 17, hasBlock: Bool = true
    ) -> PushDetails {
        PushDetails(
            type: type, transactionID: transaction, sender: sender, seq: seq,
            timestamp: hasBlock ? 1_704_067_200_000 : nil, daaScore: hasBlock ? 12_345_678 : nil, alert: alert,
            signature: nil)
    }

    static func sealed(_ text: String) -> SealedBody? { SealedBody(Array(text.utf8)) }
}
