import Kaspa

/// The log of what happened to items of activity: what streams are read from, and resumed.
extension History {
    /// Signals that there may be new changes; for one reader.
    ///
    /// Several signals in a row are one.
    public var changeSignals: AsyncStream<Void> { engine.changeNotice.stream }

    /// Changes after `number`, in order, at most `limit`.
    public func changes(after number: UInt64, limit: Int) async throws(StoreError) -> [ActivityChange] {
        try await readPage { () throws(StoreError) -> [ActivityChange] in
            guard number < .max else { return [] }
            let network = network
            return try database.list(
                .changes, from: ActivityChange.key(number + 1), below: KeyBytes.successor(ofPrefix: []), limit: limit
            ) { (row) throws(StoreError) in try ActivityChange(row, network: network) }
        }
    }

    /// Where the log ends.
    public func lastChange() async throws(StoreError) -> ChangePosition {
        try await readPage { () throws(StoreError) -> ChangePosition in
            let snapshot = database.snapshot()
            let number = try snapshot.lastChangeNumber()
            guard number > 0 else { return .start }
            guard let change = try snapshot.change(number, network: network) else {
                throw ByteReader.corrupt("changes")
            }
            return change.position
        }
    }

    /// Whether the log has everything that came after `position`: it is neither too old nor of another history.
    public func hasChanges(since position: ChangePosition) async throws(StoreError) -> Bool {
        try await readPage { () throws(StoreError) -> Bool in
            let snapshot = database.snapshot()
            guard position.number > 0 else {
                let last = try snapshot.lastChangeNumber()
                guard position.tag.isEmpty, last > 0 else { return position.tag.isEmpty }
                return try snapshot.change(1, network: network) != nil
            }
            return try snapshot.change(position.number, network: network)?.position == position
        }
    }
}

extension StoreReading {
    fileprivate func change(_ number: UInt64, network: Network) throws(StoreError) -> ActivityChange? {
        guard let stored = try get(.changes, ActivityChange.key(number)) else { return nil }
        return try ActivityChange(number: number, encoded: stored, network: network)
    }

    fileprivate func lastChangeNumber() throws(StoreError) -> UInt64 {
        guard let stored = try get(.meta, MetaKey.lastChange) else { return 0 }
        return try Self.count(stored)
    }
}

extension WriteTransaction {
    /// Remembers how an item stood before and stands now, for the log.
    func touch(
        _ id: TransactionID, isTransfer: Bool = false, before: ActivityTouch.State?, after: ActivityTouch.State?
    ) {
        if let known = touchIndex[id] {
            touches[known].after = after
        } else {
            touchIndex[id] = touches.count
            touches.append(ActivityTouch(id: id, isTransfer: isTransfer, before: before, after: after))
        }
    }

    /// Writes what was touched to the log, and what the chain's growth has confirmed; returns whether anything was.
    ///
    /// The oldest changes go as new ones come.
    package func writeChanges(_ limits: StoreLimits) throws(StoreError) -> Bool {
        guard !touches.isEmpty || newBlueScore != nil else { return false }
        let blueScore: UInt64
        if let newBlueScore { blueScore = newBlueScore } else { blueScore = try chainBlueScore() }
        let last = try lastChangeNumber()
        var number = last
        func write(_ kind: ActivityChange.Kind, _ id: TransactionID, isTransfer: Bool, _ addresses: [[UInt8]]) {
            number += 1
            let value = ActivityChange.encoded(kind, id, isTransfer: isTransfer, addresses: addresses)
            put(.changes, ActivityChange.key(number), value)
            if number > limits.changes { delete(.changes, ActivityChange.key(number - limits.changes)) }
        }
        func isConfirmed(_ acceptance: OperationRecord.Acceptance) -> Bool {
            acceptance.blueScore.isAtLeast(limits.confirmations, below: blueScore)
        }
        for touch in touches where touch.before != touch.after {
            if let old = touch.before?.acceptance, old != touch.after?.acceptance {
                delete(.unconfirmed, UnconfirmedItem.key(old.blueScore, touch.id))
            }
            if let after = touch.after, let new = after.acceptance, !isConfirmed(new) {
                let item = UnconfirmedItem(id: touch.id, isTransfer: touch.isTransfer, addresses: after.addresses)
                put(.unconfirmed, UnconfirmedItem.key(new.blueScore, touch.id), item.encoded)
            }
            guard let kind = touch.kind(isConfirmed: isConfirmed) else { continue }
            write(kind, touch.id, isTransfer: touch.isTransfer, touch.concerned)
        }
        if let score = newBlueScore {
            for item in try confirmedItems(at: score, limits) {
                write(.confirmed, item.id, isTransfer: item.isTransfer, item.addresses)
            }
        }
        guard number > last else { return false }
        put(.meta, MetaKey.lastChange, ActivityChange.key(number))
        return true
    }

    /// Takes the items out of `unconfirmed` that have enough confirmations.
    private func confirmedItems(at blueScore: UInt64, _ limits: StoreLimits) throws(StoreError) -> [UnconfirmedItem] {
        guard blueScore >= limits.confirmations else { return [] }
        var keys: [[UInt8]] = []
        var items: [UnconfirmedItem] = []
        let bound = UnconfirmedItem.bound(through: blueScore - limits.confirmations)
        let first = lowerBound(of: .unconfirmed)
        guard KeyBytes.precedes(first, bound) else { return [] }
        try scan(.unconfirmed, from: first, below: bound) { (row) throws(StoreError) in
            keys.append(Array(row.key))
            items.append(try UnconfirmedItem(row))
            return true
        }
        for key in keys { delete(.unconfirmed, key) }
        note(nothingBelow: bound, in: .unconfirmed)
        return items.filter { !$0.addresses.isEmpty }
    }
}

extension UInt64 {
    /// Whether `other` is greater by `distance` or more.
    func isAtLeast(_ distance: UInt64, below other: UInt64) -> Bool { other >= self && other - self >= distance }
}
