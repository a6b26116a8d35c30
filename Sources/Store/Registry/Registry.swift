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
        try await read { () throws(StoreError) -> [UInt8]? in try database.get(.meta, MetaKey.providerToken) }
    }

    /// Keeps the provider token across restarts: Apple refuses a new one within 20 minutes of the last.
    ///
    /// Durable on return.
    public func saveProviderToken(_ token: [UInt8]) async throws(StoreError) {
        try await write { (transaction) throws(StoreError) in
            transaction.put(.meta, MetaKey.providerToken, token)
        }
        try await engine.sync()
    }
}
