import JSON
import KasiaProtocol
import Kaspa
import Store

/// An operation in the JSON of the lists, whose members `openapi.json` describes.
///
/// Bytes that come from the chain are hex, and so are an alias and a scope; a channel is text. An alias is there as
/// text, too, as registrations list it. What is not known or not there is an empty string where apps expect one, else
/// null.
struct MessageItem {
    let record: OperationRecord
    private let network: Network

    init(_ record: OperationRecord, on network: Network) {
        (self.record, self.network) = (record, network)
    }

    /// An item of a list.
    var listed: JSONAnswer { .object(members + [("cursor", .string(Hex.encode(record.position.bytes)))]) }

    /// The operation by itself.
    var whole: JSONAnswer { .object([("kind", .string(record.kind.description))] + members) }

    /// A broadcast in the format of the apps' broadcast readers, with the channel's name from the request.
    func broadcast(in channel: ChannelName) -> JSONAnswer {
        .object([
            ("txId", .string(record.transactionID.description)), ("channel", .string(channel.text)),
            ("senderAddress", .string(record.sender?.description ?? "")),
            ("content", .string(text(record.parsed.body))),
            ("blockTime", .integer(record.blockTime)),
        ])
    }

    private var members: [(String, JSONAnswer)] {
        let id = ("tx_id", JSONAnswer.string(record.transactionID.description))
        let sender = ("sender", JSONAnswer.string(record.sender?.description ?? ""))
        let receiver = ("receiver", JSONAnswer.string(record.receiver?.description ?? ""))
        let payload = ("message_payload", hex(record.parsed.body))
        switch record.kind {
        case .handshake: return [id, sender, receiver] + time + acceptance + [payload]
        case .payment:
            let amount = ("amount", JSONAnswer.integer(record.amount))
            return [id, sender, receiver] + time + [amount, ("message", hex(record.parsed.body))] + acceptance
        case .contextualMessage:
            let alias = [("alias", hex(record.parsed.alias)), ("alias_text", aliasText)]
            return [id, sender] + alias + time + acceptance + [payload]
        case .selfStash:
            let scope = ("scope", hex(record.parsed.scope))
            return [id, ("owner", sender.1), scope] + time + acceptance + [("stashed_data", hex(record.parsed.body))]
        case .groupMessage: return [id, sender] + group + time + acceptance + [payload]
        case .groupControl:
            return [id, sender] + recipient + time + acceptance + [payload]
        case .broadcast:
            let channel = ("channel", JSONAnswer.string(text(record.parsed.channel)))
            return [id, sender, channel] + time + acceptance + [payload]
        }
    }

    private var time: [(String, JSONAnswer)] { [("block_time", .integer(record.blockTime))] }

    private var acceptance: [(String, JSONAnswer)] {
        [
            ("accepting_block", record.acceptance.map { .string($0.blockHash.description) } ?? .null),
            ("accepting_daa_score", record.acceptance.map { .integer($0.daaScore) } ?? .null),
        ]
    }

    /// The key that a group control is addressed to, and the address of that key.
    private var recipient: [(String, JSONAnswer)] {
        let key = record.parsed.recipient
        let address = key.flatMap { Address(prefix: network.addressPrefix, version: .schnorr, payload: $0) }
        return [
            ("recipient", address.map { .string($0.description) } ?? .null),
            ("recipient_key", key.map { .string(Hex.encode($0)) } ?? .null),
        ]
    }

    /// The alias as a registration lists it.
    ///
    /// It is null if it is not printable text, or has white space at its ends, which registrations trim.
    private var aliasText: JSONAnswer {
        guard let range = record.parsed.alias, let text = String(validating: record.payload[range], as: UTF8.self),
            !text.unicodeScalars.contains(where: JSONText.isUnprintable), text == text.trimmed
        else { return .null }
        return .string(text)
    }

    private var group: [(String, JSONAnswer)] {
        guard let group = record.parsed.group else { return [] }
        return [
            ("blinded_group_id", .string(Hex.encode(group.blindedGroupID))), ("epoch", .integer(group.epoch)),
            ("sender_id", .string(Hex.encode(group.senderID))),
            ("sender_pub", .string(Hex.encode(group.senderPublicKey))),
            ("msg_id", .string(Hex.encode(group.messageID))),
        ]
    }

    private func hex(_ range: Range<Int>?) -> JSONAnswer { .string(range.map { Hex.encode(record.payload[$0]) } ?? "") }

    private func text(_ range: Range<Int>?) -> String {
        range.map { String(decoding: record.payload[$0], as: UTF8.self) } ?? ""
    }
}
