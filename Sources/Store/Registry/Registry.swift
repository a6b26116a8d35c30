/// Who is to be told: devices, what they watch, the wallets that they are bound to, their keys, the nonces of signed
/// requests and the provider token.
///
/// With a device goes what the outbox has of it (`WriteTransaction.forgetDeliveries`), in the same batch.
public struct Registry: StorePart {
    let engine: StoreEngine

    /// The scripts of all watched addresses, ahead of every registration's answer; empty if the store is read-only.
    public var watchedScripts: WatchedScripts { engine.watchedScripts }

    /// The APNs client's provider token, in the client's own encoding.
    public func providerToken() async throws(StoreError) -> [UInt8]? {
        if let shared = backend.sharedValues { return try await shared.value(of: MetaKey.providerToken) }
        return try await read { () throws(StoreError) -> [UInt8]? in try database.get(.meta, MetaKey.providerToken) }
    }

    /// Keeps a provider token in the place of the `old` one, across restarts and for all processes that send: Apple refuses
    /// a new one within 20 minutes of the last.
    ///
    /// Returns the one that is kept, which is another process's if that was faster; durable on return.
    @discardableResult
    public func replaceProviderToken(_ old: [UInt8]?, by token: [UInt8]) async throws(StoreError) -> [UInt8] {
        if let shared = backend.sharedValues {
            return try await shared.replace(MetaKey.providerToken, old, by: token)
        }
        let kept = try await write { (transaction) throws(StoreError) -> [UInt8] in
            if let present = try transaction.get(.meta, MetaKey.providerToken), present != old { return present }
            transaction.put(.meta, MetaKey.providerToken, token)
            return token
        }
        try await engine.sync()
        return kept
    }
}
