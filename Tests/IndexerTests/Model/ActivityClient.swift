import Kaspa
import KaspadReplay

@testable import Store

/// An app that looks at one address: it pages through the activity once, and from then on follows the changes.
struct ActivityClient {
    let address: Address
    private(set) var items: [TransactionID: ActivityItem] = [:]
    private var position: ChangePosition

    /// Begins in the middle of whatever is going on: the place in the log first, then the pages.
    init(_ store: Store, _ address: Address, page limit: Int) async throws {
        self.address = address
        position = try await store.history.lastChange()
        for item in try await ActivityClient.page(store, address, ActivityFilter(includesTransfers: true), limit) {
            items[item.transactionID] = item
        }
    }

    /// Everything that a filter admits, a page at a time.
    static func page(
        _ store: Store, _ address: Address, _ filter: ActivityFilter, _ limit: Int, lookups: Int = 7
    ) async throws -> [ActivityItem] {
        var items: [ActivityItem] = []
        var next: OperationPosition?
        repeat {
            let page = try await store.history.activity(
                of: address, matching: filter, before: next, limit: limit,
                budget: ReadBudget(rows: lookups))
            items += page.items
            next = page.next
        } while next != nil
        return items
    }

    /// Reads what has happened since, a few changes at a time.
    mutating func follow(_ store: Store) async throws {
        guard try await store.history.hasChanges(since: position) else {
            throw ChainModelRun.Difference(description: "changes lost")
        }
        while true {
            let changes = try await store.history.changes(after: position.number, limit: 3)
            guard let last = changes.last else { return }
            for change in changes where change.addresses.contains(address) {
                items[change.transactionID] = try await store.history.activityItem(change.transactionID, of: address)
            }
            position = last.position
        }
    }
}
