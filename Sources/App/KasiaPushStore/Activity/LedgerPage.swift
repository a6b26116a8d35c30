/// A page of the ledger, newest first.
public struct LedgerPage<Item: Sendable>: Sendable {
    /// At most 100.
    public let items: [Item]
    /// Where the next page begins; nil on the last one.
    public let next: LedgerCursor?
}

/// A place in the ledger.
///
/// Pages after it neither skip nor repeat what is there, also among equal times.
public struct LedgerCursor: Hashable, Sendable, Codable {
    let time: Int64
    let sequence: Int64

    static let newest = LedgerCursor(time: .max, sequence: .max)
}

extension LedgerPage {
    /// From rows with their places, one more than the limit when there is another page.
    init(_ rows: [(item: Item, place: LedgerCursor)], limit: Int) {
        items = rows.prefix(limit).map(\.item)
        next = rows.count > limit ? rows[limit - 1].place : nil
    }
}
