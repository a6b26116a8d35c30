import Kaspa
import Testing

@testable import Store

@Suite("Used nonces")
struct NonceTests {
    private let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private func use(_ number: UInt8, expiresAt: UInt64, at time: UInt64) -> NonceUse {
        NonceUse(nonce: [UInt8](repeating: number, count: 16), expiresAt: expiresAt, usedAt: time)
    }

    private func rows() throws -> [[UInt8]] { try StoreDump(fixture.store).keys(.usedNonces) }

    @Test("A used nonce is its expiry and its bytes, and is used once")
    func row() async throws {
        let nonce = use(7, expiresAt: 258, at: 200)
        #expect(try await !fixture.store.registry.wasUsed(nonce))
        #expect(try await fixture.store.registry.use(nonce))
        #expect(try await fixture.store.registry.wasUsed(nonce))
        #expect(try await !fixture.store.registry.use(nonce))
        #expect(try rows() == [[0, 0, 0, 0, 0, 0, 1, 2] + [UInt8](repeating: 7, count: 16)])
        #expect(try fixture.store.checkBooks().problems == [])
    }

    @Test("The key is made once and stays")
    func key() async throws {
        #expect(try await fixture.store.registry.nonceKey() == nil)
        let key = try await fixture.store.registry.makeNonceKey()
        #expect(key.count == Registry.nonceKeyBytes)
        #expect(try await fixture.store.registry.makeNonceKey() == key)
        #expect(try await fixture.store.registry.nonceKey() == key)
    }

    @Test("The nonce goes with what is decided, and stays good when nothing can be written")
    func together() async throws {
        let store = fixture.store
        let (first, second) = (use(1, expiresAt: 60_000, at: 1), use(2, expiresAt: 60_000, at: 1))
        let refused = try await store.registry.changeDevice(Sample.id(1), using: first) { _ in .refuse("no") }
        guard case .refused = refused else { Issue.record("\(refused)"); return }
        #expect(try await store.registry.wasUsed(first))
        let again = try await store.registry.changeDevice(Sample.id(1), using: first) { _ -> DeviceDecision<String> in
            .put(Sample.device(1))
        }
        guard case .usedNonce = again else { Issue.record("\(again)"); return }
        #expect(try await store.registry.device(Sample.id(1)) == nil)
        await #expect(throws: StoreError.self) {
            try await store.write { (transaction) throws(StoreError) in
                _ = try transaction.use(second)
                throw StoreError(.lowSpace, "no room")
            }
        }
        #expect(try await !store.registry.wasUsed(second))
        #expect(try await store.registry.removeDevices(ofWallet: Sample.address(1), using: second) == [])
        #expect(try await store.registry.removeDevices(ofWallet: Sample.address(1), using: second) == nil)
    }

    @Test("What expired ten minutes ago is forgotten, a few at each use, and nothing younger")
    func forgetting() async throws {
        for number in UInt8(1)...10 {
            #expect(try await fixture.store.registry.use(use(number, expiresAt: 60_000, at: 0)))
        }
        let end = 60_000 + Registry.usedNonceMargin
        #expect(try await fixture.store.registry.use(use(11, expiresAt: end + 60_000, at: end)))
        #expect(try rows().count == 11)
        #expect(try await fixture.store.registry.use(use(12, expiresAt: end + 60_000, at: end + 1)))
        #expect(try rows().count == 12 - Registry.noncesForgottenAtOnce)
        #expect(try await fixture.store.registry.use(use(13, expiresAt: end + 60_000, at: end + 1)))
        #expect(try rows().count == 13 - 2 * Registry.noncesForgottenAtOnce)
        #expect(try await fixture.store.registry.use(use(14, expiresAt: end + 60_000, at: end + 1)))
        #expect(try rows().count == 4)
        // A clock that falls back: what is used now stands before what was looked at, and is found all the same.
        #expect(try await fixture.store.registry.use(use(15, expiresAt: 70_000, at: 10_000)))
        #expect(try await fixture.store.registry.wasUsed(use(15, expiresAt: 70_000, at: 10_000)))
        #expect(try await fixture.store.registry.use(use(16, expiresAt: end + 60_000, at: end + 10_001)))
        #expect(try rows().count == 5)
        #expect(try await fixture.untrueInMemory() == [])
    }
}
