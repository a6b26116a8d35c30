import Crypto

/// The nonces of signed requests: the key that makes them, and those that were used.
extension Registry {
    /// The key of the MAC in nonces has so many bytes.
    public static let nonceKeyBytes = 32
    /// How long after its expiry a used nonce is remembered, milliseconds.
    ///
    /// A time that falls back by no more than this, as when the wall clock is set, opens no replay.
    public static let usedNonceMargin: UInt64 = 600_000
    /// How many forgotten nonces one use removes at most: more than it adds, so that a backlog shrinks.
    static let noncesForgottenAtOnce = 4

    /// The key of the MAC in nonces, 32 bytes; nil before the first challenge.
    public func nonceKey() async throws(StoreError) -> [UInt8]? {
        try await read { () throws(StoreError) -> [UInt8]? in
            try database.get(.meta, MetaKey.nonceKey)
        }
    }

    /// The same, made if there is none; durable on return.
    public func makeNonceKey() async throws(StoreError) -> [UInt8] {
        let key = try await write { (transaction) throws(StoreError) in
            if let key = try transaction.get(.meta, MetaKey.nonceKey) { return key }
            let key = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
            transaction.put(.meta, MetaKey.nonceKey, key)
            return key
        }
        try await engine.sync()
        return key
    }

    /// Whether the nonce was used before; a later use may still come in between.
    public func wasUsed(_ nonce: NonceUse) async throws(StoreError) -> Bool {
        try await engine.row(.usedNonces, nonce.key) != nil
    }

    /// Uses a nonce for a request that changes nothing else; false when it was used before.
    public func use(_ nonce: NonceUse) async throws(StoreError) -> Bool {
        try await write { (transaction) throws(StoreError) in try transaction.use(nonce) }
    }
}

extension WriteTransaction {
    /// Uses a nonce up with the rest of this transaction; false when it was used before.
    func use(_ nonce: NonceUse) throws(StoreError) -> Bool {
        guard try get(.usedNonces, nonce.key) == nil else { return false }
        put(.usedNonces, nonce.key, [])
        try forgetNonces(at: nonce.usedAt)
        return true
    }

    /// Removes a few of the nonces that nobody can use any more.
    private func forgetNonces(at time: UInt64) throws(StoreError) {
        var writer = ByteWriter(capacity: 8)
        writer.write(time - min(time, Registry.usedNonceMargin))
        let (first, bound) = (lowerBound(of: .usedNonces), writer.bytes)
        guard KeyBytes.precedes(first, bound) else { return }
        let expired = try list(
            .usedNonces, from: first, below: bound, limit: Registry.noncesForgottenAtOnce
        ) { (row) throws(StoreError) in Array(row.key) }
        for key in expired { delete(.usedNonces, key) }
        // A key and a zero byte is the next possible key.
        let isAll = expired.count < Registry.noncesForgottenAtOnce
        if let next = isAll ? bound : expired.last.map({ $0 + [0] }) { note(nothingBelow: next, in: .usedNonces) }
    }
}
