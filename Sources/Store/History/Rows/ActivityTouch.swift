import KasiaProtocol
public import Kaspa

/// How an item of activity stood before a write transaction touched it first, and how it stands after.
///
/// What is written to the log is the difference of the two: an operation that a step takes out and accepts again has
/// changed its block, or not changed at all.
struct ActivityTouch {
    /// How an item stands: whom it concerns, and where the chain has it.
    struct State: Equatable {
        /// Storage keys.
        var addresses: [[UInt8]]
        var acceptance: OperationRecord.Acceptance?
        var isReverted: Bool
        // What else an item shows.
        var amount: UInt64
        var fee: UInt64?
    }

    var id: TransactionID
    var isTransfer: Bool
    var before: State?
    var after: State?

    /// What happened; nil when nothing did that anybody sees.
    ///
    /// `isConfirmed` says whether an acceptance is old enough.
    func kind(isConfirmed: (OperationRecord.Acceptance) -> Bool) -> ActivityChange.Kind? {
        guard !concerned.isEmpty, before != after else { return nil }
        guard let after else { return .removed }
        if let acceptance = after.acceptance {
            if acceptance == before?.acceptance { return .amended }
            return isConfirmed(acceptance) ? .confirmed : .accepted
        }
        if before?.acceptance != nil { return .reverted }
        return before == nil ? .seen : .amended
    }

    /// Everybody (storage keys) in whose activity the item is or was, once each.
    var concerned: [[UInt8]] {
        let all = (after?.addresses ?? []) + (before?.addresses ?? [])
        return all.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension OperationRecord {
    /// Whom the operation is for: who is paid, or whose key a group's control message names.
    public func counterparty(on network: Network) -> Address? {
        receiver ?? controlRecipient.flatMap { Address(storageKey: $0, network: network) }
    }

    /// The address (its storage key) of the key that a group's control message is for; nil for one without.
    private var controlRecipient: [UInt8]? {
        guard kind == .groupControl, let key = parsed.recipient else { return nil }
        return [Address.Version.schnorr.rawValue] + key
    }

    /// Whose activity the operation stands in: its parties as far as they are proven.
    private var activityAddresses: [[UInt8]] {
        var addresses: [[UInt8]] = []
        // Before the acceptance, nobody has proven who sent it.
        if acceptance != nil || isReverted, let sender { addresses.append(sender.storageKey) }
        if let other = receiver?.storageKey ?? controlRecipient, !addresses.contains(other) { addresses.append(other) }
        return addresses
    }

    var activityState: ActivityTouch.State {
        ActivityTouch.State(
            addresses: activityAddresses, acceptance: acceptance, isReverted: isReverted, amount: amount, fee: fee)
    }
}

/// A row in `unconfirmed`: an accepted item that has not enough confirmations yet.
struct UnconfirmedItem {
    var id: TransactionID
    var isTransfer: Bool
    /// Storage keys of whose activity it stands in.
    var addresses: [[UInt8]]

    /// In the order of blue scores, so that those that are next to be confirmed come first.
    static func key(_ blueScore: UInt64, _ id: TransactionID) -> [UInt8] {
        var writer = ByteWriter(capacity: 8 + Hash.byteCount)
        writer.write(blueScore)
        writer.write(id)
        return writer.bytes
    }

    /// The key that follows all items accepted at `blueScore` or below.
    static func bound(through blueScore: UInt64) -> [UInt8] {
        KeyBytes.successor(ofPrefix: Array(key(blueScore, .zero).prefix(8)))
    }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 80)
        writer.write(isTransfer ? UInt8(1) : 0)
        writer.write(list: addresses) { $0.write(variable: $1) }
        return writer.bytes
    }

    init(id: TransactionID, isTransfer: Bool, addresses: [[UInt8]]) {
        (self.id, self.isTransfer, self.addresses) = (id, isTransfer, addresses)
    }

    init(_ row: Row) throws(StoreError) {
        guard let id = Hash(bytes: Array(row.key.dropFirst(8))) else { throw ByteReader.corrupt("unconfirmed") }
        self.id = id
        var reader = ByteReader(row.value)
        isTransfer = try reader.readBool("unconfirmed")
        addresses = try reader.readList { (reader) throws(StoreError) in try reader.readVariable() }
        try reader.finish()
    }
}
