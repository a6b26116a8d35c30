import Kaspa
import Store
import StoreSupport
import Testing

@Suite("Closing a store")
struct StoreClosingTests {
    @Test("whoever let go of a store learns when its files are closed", .timeLimit(.minutes(10)))
    func tells() async throws {
        let directory = try TemporaryDirectory()
        var store: Store? = try Store(path: directory.path, network: .mainnet)
        let closing = try #require(store).closing
        #expect(await closing.wait(atMost: .milliseconds(1)) == false)
        store = nil
        #expect(await closing.wait(atMost: .seconds(300)))
        // The lock is free at once.
        _ = try Store(path: directory.path, network: .mainnet)
    }
}
