import DequeModule

/// A queue that serves clients in turn, each client's oldest element first.
///
/// So a client with many elements delays no other. A client is an `IPAddress.limitKey`. Exempt elements are not counted
/// and never removed; the caller must bound them.
struct FairQueue<Element: Sendable>: Sendable {
    private struct Item: Sendable {
        let element: Element
        let isExempt: Bool
    }

    private var items: [[UInt8]: Deque<Item>] = [:]
    /// Clients with waiting elements, the next one first.
    private var turns: Deque<[UInt8]> = []
    /// The number of waiting elements, without exempt ones.
    private(set) var count = 0

    mutating func add(_ element: Element, for client: [UInt8], isExempt: Bool = false) {
        if items[client] == nil { turns.append(client) }
        items[client, default: []].append(Item(element: element, isExempt: isExempt))
        if !isExempt { count += 1 }
    }

    /// The oldest element of the next client, which then goes to the end of the line; nil when nothing waits.
    mutating func next() -> Element? {
        guard let client = turns.popFirst(), let item = items[client]?.popFirst() else { return nil }
        if items[client]?.isEmpty == true {
            items[client] = nil
        } else {
            turns.append(client)
        }
        if !item.isExempt { count -= 1 }
        return item.element
    }

    /// Makes room for `client`: removes the newest element of the client that has the most, if it has more than
    /// `client` would then have.
    ///
    /// Returns the removed element; nil if there is no such client.
    mutating func removeNewest(toAdmit client: [UInt8]) -> Element? {
        let counts = items.mapValues { items in items.count { !$0.isExempt } }
        guard let (longest, length) = counts.max(by: { $0.value < $1.value }), length > counts[client, default: 0] + 1,
            let index = items[longest]?.lastIndex(where: { !$0.isExempt }),
            let item = items[longest]?.remove(at: index)
        else { return nil }
        count -= 1
        return item.element
    }
}
