public import Kaspa

extension Store {
    /// Pushes about funds that a device gets within any hour; more are suppressed, and counted.
    ///
    /// The times are in the store, so that a restart forgives none. An unregister forgets them.
    public static let fundsPerHour = RecentFunds.limit

    /// A plain transfer that was queued; nil when it never was, or longer ago than `push.max_age`.
    public func transfer(_ id: TransactionID) throws(StoreError) -> TransferRecord? {
        try database.transfer(id, network: network)
    }
}

extension StoreReading {
    func transfer(_ id: TransactionID, network: Network) throws(StoreError) -> TransferRecord? {
        guard let stored = try get(.transfers, id.bytes) else { return nil }
        return try TransferRecord(transactionID: id, encoded: stored, network: network)
    }

    func recentFunds(of device: DeviceID) throws(StoreError) -> RecentFunds {
        guard let stored = try get(.recentFunds, device.bytes) else { return RecentFunds() }
        return try RecentFunds(encoded: stored)
    }
}

extension WriteTransaction {
    /// Accepts a transfer that is to be told of; one that is known only moves to its accepting block.
    func accept(
        _ transfer: TransferRecord, network: Network, now: UInt64, into result: inout ChainStepResult
    ) throws(StoreError) {
        let id = transfer.transactionID
        guard let acceptance = transfer.acceptance else { return }
        if var known = try self.transfer(id, network: network) {
            if let previous = known.acceptance, previous.blockHash != acceptance.blockHash {
                delete(.accepted, previous.blockHash.bytes + id.bytes)
            }
            if known.acceptance == nil {
                result.accepted += 1
                try forgetReverted(id)
            }
            known.acceptance = acceptance
            put(.transfers, id.bytes, known.encoded)
            put(.accepted, acceptance.blockHash.bytes + id.bytes, [])
            return
        }
        // An operation of this id cannot be a plain transfer: whoever says so once more changes nothing.
        guard try get(.enqueued, id.bytes) == nil else { return }
        put(.transfers, id.bytes, transfer.encoded)
        put(.accepted, acceptance.blockHash.bytes + id.bytes, [])
        try enqueue(now: now) { number in
            PushEvent(
                number: number, transactionID: id, kind: .addressActivity, sender: transfer.funds.spenders.first,
                receiver: nil, amount: 0, blockTime: transfer.blockTime, acceptance: acceptance, queuedAt: now,
                funds: transfer.funds)
        }
        result.accepted += 1
        result.enqueued[.addressActivity, default: 0] += 1
    }

    /// Takes back the acceptance of a transfer by `block`; nil when it has none of it.
    func revertTransfer(_ id: TransactionID, from block: BlockHash, network: Network) throws(StoreError)
        -> RevertedPush?
    {
        guard var transfer = try transfer(id, network: network), let acceptance = transfer.acceptance,
            acceptance.blockHash == block
        else { return nil }
        transfer.acceptance = nil
        put(.transfers, id.bytes, transfer.encoded)
        return RevertedPush(id: id, kind: .addressActivity, acceptance: acceptance)
    }

    /// Deletes a transfer with its acceptance: with its marker it would be told of again.
    func forgetTransfer(_ id: TransactionID, network: Network) throws(StoreError) {
        guard let transfer = try transfer(id, network: network) else { return }
        if let acceptance = transfer.acceptance { delete(.accepted, acceptance.blockHash.bytes + id.bytes) }
        delete(.transfers, id.bytes)
    }

    /// Why a device is not told of funds, although the rule says so; nil when it is told, which is then written down.
    ///
    /// The numbers of the hour's events also keep a device from being told twice that changes its addresses during the
    /// walk: `.skip`.
    func admitFunds(event: UInt64, to id: DeviceID, now: UInt64) throws(StoreError) -> WatcherDecision? {
        var recent = try recentFunds(of: id)
        guard !recent.contains(event: event) else { return .skip }
        guard recent.add(event: event, now: now) else { return .suppress(.hourlyLimit) }
        put(.recentFunds, id.bytes, recent.encoded)
        return nil
    }
}
