import Kaspa
import KaspadReplay

@testable import Store

/// An app that looks at one address: it pages through the activity once, and from then on follows the changes.
struct ActivityClient {
    let address: Address
    private(set) var items: [TransactionID: ActivityItem] = [:]
    private var position: ChangePosition

    /// Begins in the middle of whatever is going on: the place in the log first, then the pages.
    init(_ store: Store, _ address: Address, page limit: Int) throws {
        self.address = address
        position = try store.lastChange()
        for item in try ActivityClient.page(store, address, ActivityFilter(includesTransfers: true), limit) {
            items[item.transactionID] = item
        }
    }

    /// Everything that a filter admits, a page at a time.
    static func page(
        _ store: Store, _ address: Address, _ filter: ActivityFilter, _ limit: Int, lookups: Int = 7
    ) throws -> [ActivityItem] {
        var items: [ActivityItem] = []
        var next: OperationPosition?
        repeat {
            let page = try store.activity(
                of: address, matching: filter, before: next, limit: limit,
                budget: ReadBudget(rows: lookups))
            items += page.items
            next = page.next
        } while next != nil
        return items
    }

    /// Reads what has happened since, a few changes at a time.
    mutating func follow(_ store: Store) throws {
        guard try store.hasChanges(since: position) else { throw ChainModelRun.Difference(description: "changes lost") }
        while true {
            let changes = try store.changes(after: position.number, limit: 3)
            guard let last = changes.last else { return }
            for change in changes where change.addresses.contains(address) {
                items[change.transactionID] = try store.activityItem(change.transactionID, of: address)
            }
            position = last.position
        }
    }
}
