import Kaspa
import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

@Suite("A store in PostgreSQL")
struct SmokeTests {
    @Test("It is made in an empty schema and opens again")
    func opens() async throws {
        let location = try TestStores.location("smoke/opens")
        do {
            let store = try PostgresStore.open(location, network: .mainnet)
            #expect(try await store.history.cursor() == nil)
            #expect(throws: StoreError.self) { try PostgresStore.open(location, network: .mainnet) }
        }
        let again = try PostgresStore.open(location, network: .mainnet, readOnly: true)
        #expect(try await again.totals().devices == 0)
    }
}
