import APNs
import FoundationEssentials
import Store

/// Keeps the APNs client's provider token in the store.
struct StoredTokens: ProviderTokenStorage {
    let store: Store
    /// What commands left that ran before there was a store: taken over at the first load.
    var beside: ProviderTokenFile?

    func load() async throws -> StoredProviderToken? {
        if let bytes = try await store.registry.providerToken() {
            return try JSONDecoder().decode(StoredProviderToken.self, from: Data(bytes))
        }
        guard let token = await beside?.load() else { return nil }
        try await save(token)
        return token
    }

    func save(_ token: StoredProviderToken) async throws {
        try await store.registry.saveProviderToken(Array(try JSONEncoder().encode(token)))
        beside?.remove()
    }
}
