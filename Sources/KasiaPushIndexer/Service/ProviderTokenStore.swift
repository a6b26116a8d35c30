import APNs
import FoundationEssentials
import Store

/// Stores the APNs client's provider token in the store.
struct ProviderTokenStore: ProviderTokenStorage {
    let store: Store
    /// The file of commands that ran before there was a store.
    ///
    /// The first load takes its token over.
    var beside: ProviderTokenFile?

    func load() async throws -> StoredProviderToken? {
        if let bytes = try await store.registry.providerToken() { return try Self.decode(bytes) }
        guard let token = await beside?.load() else { return nil }
        return try await save(token, replacing: nil)
    }

    func save(_ token: StoredProviderToken, replacing old: StoredProviderToken?) async throws -> StoredProviderToken {
        let present = try await store.registry.providerToken()
        if let present {
            let token = try Self.decode(present)
            guard token == old else { return token }
        }
        let new = Array(try JSONEncoder().encode(token))
        let kept = try await store.registry.replaceProviderToken(present, by: new)
        beside?.remove()
        return kept == new ? token : try Self.decode(kept)
    }

    private static func decode(_ bytes: [UInt8]) throws -> StoredProviderToken {
        try JSONDecoder().decode(StoredProviderToken.self, from: Data(bytes))
    }
}
