public import Kaspa

/// A plain transfer with its acceptance set, and whether devices may have to be told of it.
public struct AcceptedTransfer: Sendable {
    /// Whether devices are told, and why not.
    public enum Push: Sendable {
        /// Whoever watches a credited address for funds is told.
        case due
        /// It is older than `push.max_age`.
        case tooOld
        /// Pushes are off.
        case off
    }

    /// All parties; `listed` are those that may be watched, of which the writer keeps those that are.
    public var record: TransferRecord
    /// What the caller has decided about pushes; the writer finds out who is told.
    public var push: Push

    /// Takes a record as the chain tells it; without an acceptance nothing happens.
    public init(_ record: TransferRecord, push: Push) {
        self.record = record
        self.push = push
    }
}

extension History {
    /// A plain transfer that touched a watched address when it was accepted; nil for all others.
    public func transfer(_ id: TransactionID) async throws(StoreError) -> TransferRecord? {
        try await read { () throws(StoreError) -> TransferRecord? in
            try database.transfer(id, network: network)
        }
    }
}

extension StoreReading {
    func transfer(_ id: TransactionID, network: Network) throws(StoreError) -> TransferRecord? {
        guard let stored = try get(.transfers, id.bytes) else { return nil }
        return try TransferRecord(transactionID: id, encoded: stored, network: network)
    }
}

extension WriteTransaction {
    /// Accepts a transfer, if somebody watches one of its addresses or did when it was accepted before.
    ///
    /// Which of them are watched is decided here, at the moment of the write; so is who is told.
    func accept(
        _ transfer: AcceptedTransfer, watched: WatchedAddresses, network: Network, now: UInt64,
        into result: inout ChainStepResult
    ) throws(StoreError) {
        let id = transfer.record.transactionID
        guard let acceptance = transfer.record.acceptance else { return }
        let known = try self.transfer(id, network: network)
        if known == nil {
            // An operation of this id cannot be a plain transfer: whoever says so changes nothing.
            guard try get(.operations, id.bytes) == nil else { return }
        }
        guard let record = transfer.record.replacing(known, watched: watched.any) else { return }
        if known?.acceptance == nil {
            result.accepted += 1
            try forgetReverted(id)
        }
        put(record, replacing: known)
        let credits = transfer.record.funds.credits.filter { watched.funds.contains($0.address) }
        guard !credits.isEmpty, try !isEnqueued(id) else { return }
        switch transfer.push {
        case .off: break
        case .tooOld: if known?.acceptance == nil { result.tooOldTransfers += 1 }
        case .due:
            let funds = Funds(credits: credits, spenders: transfer.record.funds.spenders)
            try enqueue(now: now) { number in
                PushEvent(
                    number: number, transactionID: id, kind: .addressActivity, sender: funds.spenders.first,
                    receiver: nil, amount: 0, blockTime: record.blockTime, acceptance: acceptance, queuedAt: now,
                    funds: funds)
            }
            result.enqueued[.addressActivity, default: 0] += 1
        }
    }

    /// Writes an accepted transfer, and moves it to the lists where it stands now.
    private func put(_ transfer: TransferRecord, replacing known: TransferRecord?) {
        let id = transfer.transactionID
        touch(transfer, before: known, after: transfer)
        put(.transfers, id.bytes, transfer.encoded)
        let keys = transfer.listKeys
        let old = known?.listKeys ?? []
        for key in old where !keys.contains(key) { delete(.operationLists, key) }
        for key in keys where !old.contains(key) { put(.operationLists, key, []) }
        guard let acceptance = transfer.acceptance else { return }
        if let previous = known?.acceptance, previous.blockHash != acceptance.blockHash {
            delete(.accepted, previous.blockHash.bytes + id.bytes)
        }
        put(.accepted, acceptance.blockHash.bytes + id.bytes, [])
    }

    private func touch(_ transfer: TransferRecord, before: TransferRecord?, after: TransferRecord?) {
        touch(
            transfer.transactionID, isTransfer: true, before: before?.activityState, after: after?.activityState)
    }

    /// Takes back the acceptance of a transfer by `block`; nil when it has none of it.
    func revertTransfer(_ id: TransactionID, from block: BlockHash, network: Network) throws(StoreError)
        -> RevertedPush?
    {
        guard var transfer = try transfer(id, network: network), let acceptance = transfer.acceptance,
            acceptance.blockHash == block
        else { return nil }
        let known = transfer
        transfer.acceptance = nil
        transfer.acceptedAt = nil
        touch(transfer, before: known, after: transfer)
        put(.transfers, id.bytes, transfer.encoded)
        return RevertedPush(id: id, kind: .addressActivity, acceptance: acceptance)
    }

    /// Deletes a transfer's row, its acceptance and its places in lists.
    ///
    /// Its marker stays until its own time, so that nobody is told twice should the chain accept it once more; then it
    /// is listed again. That history ends is no news of an item, so the log of changes does not say so.
    func deleteTransfer(_ transfer: TransferRecord) {
        let id = transfer.transactionID
        delete(.transfers, id.bytes)
        for key in transfer.listKeys { delete(.operationLists, key) }
        guard let acceptance = transfer.acceptance else { return }
        delete(.accepted, acceptance.blockHash.bytes + id.bytes)
        delete(.unconfirmed, UnconfirmedItem.key(acceptance.blueScore, id))
    }

    /// Deletes a transfer of an older version when its marker goes: it stands in no list.
    func dropUnlistedTransfer(_ id: TransactionID, network: Network) throws(StoreError) {
        guard let transfer = try transfer(id, network: network), transfer.listed.isEmpty else { return }
        deleteTransfer(transfer)
    }
}

extension TransferRecord {
    var listKeys: [[UInt8]] { lists.map { $0.prefix + position.bytes } }

    /// What the store holds once this accepted transfer is written over `known`; nil when nobody has to do with it.
    fileprivate func replacing(_ known: TransferRecord?, watched: Set<Address>) -> TransferRecord? {
        var narrowed = narrowed(to: watched.union(known?.listed ?? []))
        narrowed?.fee = fee ?? known?.fee
        guard var known else { return narrowed }
        if let narrowed, Set(narrowed.listed).isSuperset(of: known.listed) { return narrowed }
        // An answer that names fewer parties than an earlier one did takes nobody out.
        known.acceptance = acceptance
        known.acceptedAt = known.listed.isEmpty ? nil : acceptedAt
        known.blockTime = blockTime
        known.fee = known.fee ?? fee
        return known
    }
}
