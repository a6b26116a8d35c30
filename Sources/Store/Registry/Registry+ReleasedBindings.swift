import Kaspa

/// Whose tokens were, for a week after somebody else ended their registration.
extension Registry {
    /// Rows that one batch forgets.
    static let bindingsForgottenAtOnce = 1_000

    /// Forgets the bindings that were released more than a week before `now`.
    public func forgetReleasedBindings(now: UInt64) async throws(StoreError) {
        guard now >= ReleasedBinding.lifetime else { return }
        let bound = ReleasedBinding.timeBound(now - ReleasedBinding.lifetime)
        var count = Registry.bindingsForgottenAtOnce
        while count == Registry.bindingsForgottenAtOnce {
            count = try await write { (transaction) throws(StoreError) in
                let keys = try transaction.list(
                    .releasedBindings, from: ReleasedBinding.timeBound(0), below: bound,
                    limit: Registry.bindingsForgottenAtOnce
                ) { (row) throws(StoreError) in Array(row.key) }
                for key in keys {
                    transaction.delete(.releasedBindings, key)
                    guard let device = ReleasedBinding.device(ofTimeKey: key) else { continue }
                    transaction.delete(.releasedBindings, ReleasedBinding.key(device))
                }
                return keys.count
            }
        }
    }
}

extension StoreReading {
    func releasedBinding(of id: DeviceID, network: Network) throws(StoreError) -> ReleasedBinding? {
        guard let stored = try get(.releasedBindings, ReleasedBinding.key(id)) else { return nil }
        return try ReleasedBinding(encoded: stored, network: network)
    }
}

extension WriteTransaction {
    /// Remembers whose a token was.
    func release(_ id: DeviceID, from wallet: Address, at time: UInt64, network: Network) throws(StoreError) {
        try forgetReleasedBinding(of: id, network: network)
        put(.releasedBindings, ReleasedBinding.key(id), ReleasedBinding(wallet: wallet, releasedAt: time).encoded)
        put(.releasedBindings, ReleasedBinding.timeKey(time, id), [])
    }

    func forgetReleasedBinding(of id: DeviceID, network: Network) throws(StoreError) {
        guard let binding = try releasedBinding(of: id, network: network) else { return }
        delete(.releasedBindings, ReleasedBinding.key(id))
        delete(.releasedBindings, ReleasedBinding.timeKey(binding.releasedAt, id))
    }

    /// Whether a registration may bind its token to its wallet; a binding that this replaces is forgotten.
    func mayBind(_ new: DeviceRecord, replacing old: DeviceRecord?, network: Network) throws(StoreError) -> Bool {
        guard let wallet = new.walletAddress, old?.walletAddress == nil,
            let released = try releasedBinding(of: new.id, network: network)
        else { return true }
        guard released.lets(wallet, at: new.lastSeen) else { return false }
        try forgetReleasedBinding(of: new.id, network: network)
        return true
    }
}
