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
