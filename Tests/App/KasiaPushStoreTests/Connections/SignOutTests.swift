import Testing

@testable import KasiaPushStore

@Suite struct SignOutTests {
    struct OfflineError: Error {}

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func connectedStore() async throws -> PushStore {
        let store = try await folder.store()
        for (device, address) in [("a", "kaspa:qa"), ("b", "kaspa:qa"), ("c", "kaspa:qc")] {
            try await store.connections.connect(
                PeerConnection(peer: .device(device), address: address, methods: [], connectedAt: 0))
        }
        return store
    }

    @Test func `a sign-out ends connections here and registrations there, and keeps the history`() async throws {
        let store = try await connectedStore()
        _ = try await store.activity.record(sent(1, at: 0))
        _ = try await store.activity.log(signature(1, at: 0))
        let registry = store.connections
        let outcome = try await registry.signOut("KASPA:QA", now: 1) { address in
            #expect(address == "kaspa:qa")
            // The connections have ended and the intent is kept before the service is asked.
            let connected = try await registry.connections().map(\.address)
            let pending = try await registry.pendingSignOuts()
            #expect(connected == ["kaspa:qc"])
            #expect(pending == ["kaspa:qa"])
        }
        guard case .done = outcome else { return #expect(Bool(false), "the sign-out is done") }
        #expect(try await registry.pendingSignOuts().isEmpty)
        #expect(try await store.activity.transactions().items.count == 1)
        #expect(try await store.activity.signatures().items.count == 1)
    }

    @Test func `a sign-out that failed is kept over a restart until it succeeds`() async throws {
        let store = try await connectedStore()
        let outcome = try await store.connections.signOut("kaspa:qa", now: 1) { _ in throw OfflineError() }
        guard case .kept(let error) = outcome else { return #expect(Bool(false), "the sign-out is kept") }
        #expect(error is OfflineError)
        #expect(try await store.connections.connections(to: "kaspa:qa").isEmpty)
        await store.close()

        let registry = try await folder.store().connections
        _ = try await registry.resumeSignOuts { _ in throw OfflineError() }
        #expect(try await registry.pendingSignOuts() == ["kaspa:qa"])
        let outcomes = try await registry.resumeSignOuts { #expect($0 == "kaspa:qa") }
        #expect(outcomes.keys.sorted() == ["kaspa:qa"])
        #expect(try await registry.pendingSignOuts().isEmpty)
        #expect(try await registry.resumeSignOuts { _ in throw OfflineError() }.isEmpty)
    }

    @Test func `one sign-out that fails does not hold up the others`() async throws {
        let registry = try await connectedStore().connections
        for address in ["kaspa:qc", "kaspa:qa"] {
            _ = try await registry.signOut(address, now: 1) { _ in throw OfflineError() }
        }
        #expect(try await registry.pendingSignOuts() == ["kaspa:qc", "kaspa:qa"])
        _ = try await registry.resumeSignOuts { if $0 == "kaspa:qc" { throw OfflineError() } }
        #expect(try await registry.pendingSignOuts() == ["kaspa:qc"])
    }

    @Test func `signing in again drops the intent`() async throws {
        let registry = try await connectedStore().connections
        _ = try await registry.signOut("kaspa:qa", now: 1) { _ in throw OfflineError() }
        try await registry.signIn("KASPA:QA")
        #expect(try await registry.resumeSignOuts { _ in throw OfflineError() }.isEmpty)
    }

    @Test func `a sign-out that ends late does not end a later one`() async throws {
        let registry = try await connectedStore().connections
        _ = try await registry.signOut("kaspa:qa", now: 1) { address in
            try await registry.signIn(address)
            _ = try await registry.signOut(address, now: 2) { _ in throw OfflineError() }
        }
        #expect(try await registry.pendingSignOuts() == ["kaspa:qa"])
    }

    @Test func `an address without connections is signed out, too`() async throws {
        let registry = try await folder.store().connections
        _ = try await registry.signOut("kaspa:qz", now: 1) { _ in throw OfflineError() }
        #expect(try await registry.pendingSignOuts() == ["kaspa:qz"])
    }
}
