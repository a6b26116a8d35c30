/// What waits, of which each client in turn gets its oldest: who has much waiting delays nobody but itself.
///
/// Clients are told apart by `IPAddress.limitKey`. Patient elements are not counted and never displaced: whoever adds
/// them bounds them.
struct FairQueue<Element: Sendable>: Sendable {
    private struct Item: Sendable {
        let element: Element
        let isPatient: Bool
    }

    private var lines: [[UInt8]: [Item]] = [:]
    /// Clients with something waiting, the next one first.
    private var turns: [[UInt8]] = []
    /// Elements that wait and are not patient.
    private(set) var count = 0

    mutating func add(_ element: Element, for client: [UInt8], isPatient: Bool = false) {
        if lines[client] == nil { turns.append(client) }
        lines[client, default: []].append(Item(element: element, isPatient: isPatient))
        if !isPatient { count += 1 }
    }

    /// The oldest of the client whose turn it is, which then is last in turn; nil when nothing waits.
    mutating func next() -> Element? {
        guard !turns.isEmpty else { return nil }
        let client = turns.removeFirst()
        guard var line = lines[client], !line.isEmpty else { return nil }
        let item = line.removeFirst()
        lines[client] = line.isEmpty ? nil : line
        if !line.isEmpty { turns.append(client) }
        if !item.isPatient { count -= 1 }
        return item.element
    }

    /// Takes out the newest element of the client that has most waiting, if that is more than `client` would then have;
    /// nil if there is none.
    mutating func displace(for client: [UInt8]) -> Element? {
        let counts = lines.mapValues { line in line.count { !$0.isPatient } }
        guard let (longest, length) = counts.max(by: { $0.value < $1.value }), length > counts[client, default: 0] + 1,
            var line = lines[longest], let index = line.lastIndex(where: { !$0.isPatient })
        else { return nil }
        let item = line.remove(at: index)
        lines[longest] = line
        count -= 1
        return item.element
    }
}
