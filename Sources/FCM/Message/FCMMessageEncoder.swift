import Carriers
import KasiaProtocol
import Kaspa
import Store

/// Makes messages as the Android app in the field reads them.
///
/// A message is at most ``FCMMessage/maximumPayloadBytes`` long. What does not fit is left out: first the signature,
/// then of a chat the sealed payload, which the app then reads from the chain, and of a broadcast the end of its preview.
struct FCMMessageEncoder: Sendable {
    /// The longest `enc_payload` that goes in, in bytes (`push.max_payload_bytes`).
    let maximumPayloadBytes: Int
    /// nil: messages are not signed.
    var signer: PushSigner?

    /// The message for one device at this time, UNIX seconds.
    func message(_ push: OutgoingPush, now: UInt64) -> FCMMessage {
        let content = NotificationContent(push.delivery, payload: push.payload)
        var message = unsigned(push, content, now: now)
        if let signer { FCMMessageEncoder.sign(&message, content, by: signer) }
        return message
    }

    private static func sign(_ message: inout FCMMessage, _ content: NotificationContent, by signer: PushSigner) {
        let key = "sig"
        let size = message.payloadBytes + key.utf8.count + PushSigner.signatureLength
        let statement = PushStatement(
            transactionID: content.transactionID.description, type: content.flatType, sender: message["sender"],
            seq: content.seq, deviceToken: message.token)
        guard size <= FCMMessage.maximumPayloadBytes, let signature = signer.signature(of: statement) else { return }
        message.data.append(.init(key, signature))
    }

    private func unsigned(_ push: OutgoingPush, _ content: NotificationContent, now: UInt64) -> FCMMessage {
        var message = FCMMessage(
            token: String(decoding: push.device.token, as: UTF8.self), data: [],
            timeToLive: min(push.expiration - min(now, push.expiration), FCMMessage.maximumTimeToLive))
        if content.kind == .broadcast, let parsed = content.parsed,
            let broadcast = BroadcastContent(parsed, payload: content.payload)
        {
            return FCMMessageEncoder.fill(message, with: broadcast, content)
        }
        message.data = FCMMessageEncoder.data(content)
        if content.isPublic {
            message.notification = .init(title: content.flatTitle, body: content.flatBody)
        } else if content.hasPayload, !push.delivery.omitsPayload {
            addPayload(of: content, to: &message)
        }
        // Google keeps few keys for each device: chats have none, and a correction replaces its like.
        if content.kind == .paymentReverted { message.collapseKey = content.transactionID.description }
        return message
    }

    /// What every kind has but broadcasts; without what can be long.
    private static func data(_ content: NotificationContent) -> [FCMMessage.Member] {
        var data: [FCMMessage.Member] = [.init("type", content.flatType)]
        if let sender = content.flatSender { data.append(.init("sender", sender)) }
        data += [
            .init("tx_id", content.transactionID.description), .init("timestamp", String(content.blockTime)),
            .init("daa_score", String(content.daaScore)), .init("title", content.flatTitle),
            .init("body", content.flatBody),
        ]
        if let address = content.address { data.append(.init("address", address.description)) }
        if content.hasAmount { data.append(.init("amount", String(content.amount))) }
        if let group = content.parsed?.group {
            data.append(.init("blinded_group_id", Hex.encode(group.blindedGroupID)))
        }
        if content.isInbox { data.append(.init("inbox", "true")) }
        data.append(.init("seq", String(content.seq)))
        return data
    }

    private func addPayload(of content: NotificationContent, to message: inout FCMMessage) {
        let room = min(
            maximumPayloadBytes, FCMMessage.maximumPayloadBytes - message.payloadBytes - "enc_payload".utf8.count)
        // A body that is far too long is not even encoded.
        guard SealedBody.minimumLength(of: content.body) <= room else { return }
        let payload = SealedBody.base64(of: content.body)
        guard !payload.isEmpty, payload.utf8.count <= room else { return }
        message.data.insert(.init("enc_payload", payload), at: message.data.count - 1)
    }

    /// The app shows a broadcast by its channel, title and body while it runs, and Android by the notification else.
    private static func fill(
        _ empty: FCMMessage, with broadcast: BroadcastContent, _ content: NotificationContent
    ) -> FCMMessage {
        func message(_ preview: String) -> FCMMessage {
            var message = empty
            let title = "#\(broadcast.channel)"
            message.notification = .init(title: title, body: preview)
            message.data = [
                .init("type", content.flatType), .init("channel", broadcast.channel),
                .init("tx_id", content.transactionID.description), .init("timestamp", String(content.blockTime)),
                .init("title", title), .init("body", preview), .init("seq", String(content.seq)),
            ]
            return message
        }
        let whole = message(broadcast.preview)
        guard whole.payloadBytes > FCMMessage.maximumPayloadBytes else { return whole }
        // The preview is there twice.
        let room = (FCMMessage.maximumPayloadBytes - message("").payloadBytes) / 2
        return message(broadcast.preview.cut(toBytes: room))
    }
}

extension String {
    /// Its beginning of whole Unicode scalars, at most so many bytes in UTF-8.
    fileprivate func cut(toBytes limit: Int) -> String {
        var length = 0
        var kept = UnicodeScalarView()
        for scalar in unicodeScalars {
            length += UTF8.width(scalar)
            guard length <= limit else { break }
            kept.append(scalar)
        }
        return String(kept)
    }
}
