import KasiaProtocol
import Kaspa
import Store

/// Writes activity items as JSON, for pages, streams, and answers about a transaction.
struct ActivityAnswer: Sendable {
    /// The parts of an explorer link around the transaction's id; nil without an explorer.
    private let linkParts: [String]?

    /// `explorerURL` is a link to a transaction with `{tx_id}` in it.
    init(explorerURL: String?) {
        linkParts = explorerURL.map {
            $0.split(separator: "{tx_id}", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// The longest body of a payment whose memo an item has, in bytes; `/v1/messages/{tx_id}` has longer ones.
    ///
    /// Pages have a hundred items, and streams keep hundreds of events for a slow reader.
    static let longestMemo = 2_048

    static let transfer = "transfer"
    /// The status of a transaction that the store does not have.
    static let unknown = "unknown"

    func item(_ item: ActivityItem) -> JSONAnswer {
        let id = item.transactionID.description
        let link = linkParts.map { JSONAnswer.string($0.joined(separator: id)) }
        let start: [(String, JSONAnswer)] = [
            ("id", .string(id)), ("type", .string(item.kind?.description ?? ActivityAnswer.transfer)),
            ("direction", .string(item.direction.rawValue)),
            ("counterparty", item.counterparty.map { .string($0.description) } ?? .null),
            ("amount", .integer(item.amount)),
        ]
        let end: [(String, JSONAnswer)] = [
            ("status", .string(item.status.rawValue)),
            ("confirmations", item.confirmations.map { .integer($0) } ?? .null),
            ("block_time", .integer(item.blockTime)),
            ("accepted_at", item.acceptedAt.map { .integer($0) } ?? .null), ("explorer_url", link ?? .null),
        ]
        return .object(start + ActivityAnswer.fee(item.fee) + ActivityAnswer.memo(item.memo) + end)
    }

    /// The fee's member, if the fee is known.
    private static func fee(_ fee: UInt64?) -> [(String, JSONAnswer)] { fee.map { [("fee", .integer($0))] } ?? [] }

    /// The member for a payment's body: the text of a memo that anybody can read, else the bytes in hex.
    private static func memo(_ body: ArraySlice<UInt8>?) -> [(String, JSONAnswer)] {
        guard let body, !body.isEmpty, body.count <= longestMemo else { return [] }
        if let text = PaymentMemo.text(in: body) { return [("memo", .string(text))] }
        return [("sealed_memo", .string(Hex.encode(body)))]
    }

    func page(_ page: ActivityPage) -> JSONAnswer {
        .object([
            ("items", .array(page.items.map(item))), ("has_more", .boolean(page.next != nil)),
            ("next_cursor", page.next.map { .string(Hex.encode($0.bytes)) } ?? .null),
        ])
    }

    func state(_ id: TransactionID, _ state: TransactionState?) -> JSONAnswer {
        let type = state.map { JSONAnswer.string($0.kind?.description ?? ActivityAnswer.transfer) }
        let start: [(String, JSONAnswer)] = [
            ("id", .string(id.description)), ("type", type ?? .null),
            ("status", .string(state?.status.rawValue ?? ActivityAnswer.unknown)),
            ("confirmations", state?.confirmations.map { .integer($0) } ?? .null),
            ("block_time", state.map { .integer($0.blockTime) } ?? .null),
            ("accepted_at", state?.acceptedAt.map { .integer($0) } ?? .null),
        ]
        return .object(start + ActivityAnswer.fee(state?.fee))
    }
}
