import Clocks
import KasiaProtocol
public import Kaspa
public import Store

extension DeviceRegistry {
    /// What the device was told after `seq` within the last seven days, in order, at most `limit`.
    ///
    /// `reader` is the wallet that the caller has proven to be. What only the registration says, and not the chain, is
    /// left out unless `DeviceRecord.isOpen(to:)`. At most one row of a transaction is read for each delivery.
    /// Nil when the token is not registered: its numbering, and its log, went with the registration.
    public func missed(
        token: [UInt8], after seq: UInt64, limit: Int, reader: Address? = nil
    ) async throws(StoreError) -> MissedPage? {
        let time = clock.now()
        let id = DeviceID(token: token)
        let since = time - min(time, StoreLimits.logAge)
        guard let device = try await store.registry.device(id) else { return nil }
        let shard = try await store.shard(of: id)
        var found = try await shard.outbox.deliveryLog(of: id, after: seq, queuedSince: since, limit: limit)
        // A shard that has not heard of this registration yet has told it nothing; what it has is an earlier one's.
        if !store.shards.owns(id), try await shard.registry.device(id)?.createdAt != device.createdAt {
            found = DeliveryLogPage()
        }
        guard let page = found else { return nil }
        // Not `map`, which loses the type of its errors.
        var deliveries: [MissedDelivery] = []
        for entry in page.entries {
            var missed = MissedDelivery(entry)
            do throws(StoreError) {
                try await complete(&missed, by: device, reader: reader)
            } catch {
                // One damaged transaction keeps nobody from the rest.
                guard error.code == .corrupt else { throw error }
            }
            deliveries.append(missed)
        }
        return MissedPage(deliveries: deliveries, latestSeq: page.latestSeq, oldestSeq: page.oldestSeq)
    }

    /// Adds what the transaction's rows say; what is gone is left out, as history may end before the log
    /// (`store.retention`).
    private func complete(
        _ missed: inout MissedDelivery, by device: DeviceRecord, reader: Address?
    ) async throws(StoreError) {
        let entry = missed.entry
        switch entry.kind {
        case .addressActivity:
            guard device.isOpen(to: reader), let transfer = try await store.history.transfer(entry.transactionID),
                let share = transfer.funds.share(of: Set(device.watchOnlyAddresses))
            else { break }
            missed.amount = share.amount
            missed.address = share.address
        case .payment, .paymentReverted:
            missed.amount = try await store.history.operation(entry.transactionID)?.amount
        case .contextualMessage, .groupMessage:
            guard let parsed = try await store.history.operation(entry.transactionID)?.parsed else { break }
            missed.isInbox = parsed.inboxTag != nil
            missed.blindedGroupID = parsed.group?.blindedGroupID
        case .handshake, .selfStash, .groupControl, .broadcast: break
        }
    }
}

extension DeviceRecord {
    /// Whether all of the registration may be told to whoever knows the token and has proven to be `wallet`.
    ///
    /// A bound registration is its wallet's, and an unbound one belongs to whoever knows the token.
    public func isOpen(to wallet: Address?) -> Bool {
        walletAddress == nil || walletAddress == wallet
    }
}
