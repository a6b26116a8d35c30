import APNs
import FoundationEssentials
import Store

/// Keeps the APNs client's provider token in the store.
struct StoredTokens: ProviderTokenStorage {
    let store: Store

    func load() async throws -> StoredProviderToken? {
        guard let bytes = try store.providerToken() else { return nil }
        return try JSONDecoder().decode(StoredProviderToken.self, from: Data(bytes))
    }

    func save(_ token: StoredProviderToken) async throws {
        try await store.saveProviderToken(Array(try JSONEncoder().encode(token)))
    }
}
