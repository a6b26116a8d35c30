/// Items of activity, newest first and once each.
///
/// Changes are collected and merged when the items are asked for: any number of changes costs one pass over the list.
struct ActivityList: Sendable {
    /// Where an item stands: newer block times first, equal ones by the transaction's id, as the service sorts.
    struct Position: Comparable, Sendable {
        let blockTime: UInt64
        let id: String

        static func < (left: Position, right: Position) -> Bool {
            (left.blockTime, left.id) < (right.blockTime, right.id)
        }
    }

    private var sorted: [ActivityItem]
    /// Items that came or changed since the last merge; nil for those to be removed.
    private var changes: [String: ActivityItem?] = [:]

    /// Takes items in any order; of two with the same id the later one counts.
    init(_ items: [ActivityItem] = []) {
        sorted = []
        for item in items { put(item) }
    }

    /// Adds an item, or replaces the one with its id.
    mutating func put(_ item: ActivityItem) {
        changes.updateValue(item, forKey: item.id)
    }

    /// Removes an item, if it is there.
    mutating func remove(_ id: String) {
        changes.updateValue(nil, forKey: id)
    }

    /// All items, newest first.
    mutating func items() -> [ActivityItem] {
        merge()
        return sorted
    }

    /// The items that stand at `position` or before it; all without one.
    mutating func items(downTo position: Position?) -> [ActivityItem] {
        merge()
        guard let position, let last = sorted.last, last.position < position else { return sorted }
        return Array(sorted[..<count(downTo: position)])
    }

    /// The items that stand behind `position`.
    mutating func items(behind position: Position) -> ArraySlice<ActivityItem> {
        merge()
        return sorted[count(downTo: position)...]
    }

    /// Puts the service's items in place of those that stand behind `top` and not behind `bottom`.
    ///
    /// Without `top` that is from the newest on, without `bottom` to the oldest. Nothing is changed of those that are
    /// `newer` than the service's answer.
    mutating func replace(
        behind top: Position? = nil, downTo bottom: Position?, with items: [ActivityItem], newer: Set<String>
    ) {
        merge()
        let start = top.map(count) ?? 0
        for item in sorted[start..<max(start, bottom.map(count) ?? sorted.count)] where !newer.contains(item.id) {
            remove(item.id)
        }
        for item in items where !newer.contains(item.id) { put(item) }
    }

    /// How many items stand at `position` or before it, by binary search.
    private func count(downTo position: Position) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle].position < position { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private mutating func merge() {
        guard !changes.isEmpty else { return }
        let fresh = changes.values.compactMap { $0 }.sorted { $1.position < $0.position }
        var next = fresh.startIndex
        var merged: [ActivityItem] = []
        merged.reserveCapacity(sorted.count + fresh.count)
        for item in sorted where changes.index(forKey: item.id) == nil {
            while next < fresh.endIndex, item.position < fresh[next].position {
                merged.append(fresh[next])
                next += 1
            }
            merged.append(item)
        }
        merged += fresh[next...]
        sorted = merged
        changes = [:]
    }
}

extension ActivityItem {
    /// Where the item stands in its list.
    var position: ActivityList.Position { ActivityList.Position(blockTime: blockTime, id: id) }
}
