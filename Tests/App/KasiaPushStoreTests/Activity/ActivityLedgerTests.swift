import Testing

@testable import KasiaPushStore

@Suite struct ActivityLedgerTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a transaction is recorded once, as it was first`() async throws {
        let ledger = try await folder.store().activity
        #expect(try await ledger.record(sent(0xa, at: 5)))
        #expect(try await !ledger.record(sent(0xa, at: 6, app: nil, from: "kaspa:qb")))
        #expect(try await ledger.transaction(transactionID(0xa).uppercased()) == sent(0xa, at: 5))
        #expect(try await ledger.transaction(transactionID(2)) == nil)
        #expect(try await ledger.transactions().items == [sent(0xa, at: 5)])
    }

    @Test func `what an app is called is kept once, by domain, uri and scheme together`() async throws {
        let store = try await folder.store()
        let apps = [
            exampleApp, AppMetadata(domain: "EXAMPLE.com", uri: "https://example.com/app", scheme: "HTTPS"),
            AppMetadata(domain: "example.com", uri: "https://example.com/APP", scheme: "https"),
            AppMetadata(domain: "example.com", uri: "", scheme: "https"),
            AppMetadata(domain: "example.com", uri: "", scheme: ""),
        ]
        for (number, app) in apps.enumerated() {
            _ = try await store.activity.record(sent(number, at: Int64(number), app: app))
            _ = try await store.activity.log(signature(number, at: Int64(number), app: app))
        }
        _ = try await store.activity.record(sent(9, at: 9, app: nil))
        #expect(try await store.integer("SELECT count(*) FROM apps") == 4)
        #expect(try await store.activity.transactions().items.map(\.app) == [nil] + apps.reversed())
        #expect(try await store.activity.signatures().items.map(\.app) == apps.reversed())
    }

    @Test func `a signature is logged once for its digest, address and time`() async throws {
        let ledger = try await folder.store().activity
        #expect(try await ledger.log(signature(1, at: 5)))
        #expect(try await !ledger.log(signature(1, at: 5, app: nil)))
        #expect(try await ledger.log(signature(1, at: 6)))
        #expect(try await ledger.log(signature(1, at: 5, by: "kaspa:qb")))
        #expect(try await ledger.signatures(of: "KASPA:qa").items == [signature(1, at: 6), signature(1, at: 5)])
    }

    @Test func `clearing one address leaves the others' history`() async throws {
        let store = try await folder.store()
        let otherApp = AppMetadata(domain: "other.example", uri: "", scheme: "https")
        _ = try await store.activity.record(sent(1, at: 1))
        _ = try await store.activity.record(sent(2, at: 2, app: otherApp, from: "kaspa:qb"))
        _ = try await store.activity.log(signature(1, at: 1))
        _ = try await store.activity.log(signature(2, at: 2, app: otherApp, by: "kaspa:qb"))
        try await store.activity.clear(address: "KASPA:QA")
        #expect(try await store.activity.transactions().items.map(\.address) == ["kaspa:qb"])
        #expect(try await store.activity.signatures().items.map(\.address) == ["kaspa:qb"])
        #expect(try await store.integer("SELECT count(*) FROM apps") == 1)
    }

    @Test func `clearing all leaves connections, contacts and messages`() async throws {
        let store = try await folder.store()
        _ = try await store.activity.record(sent(1, at: 1))
        _ = try await store.activity.log(signature(1, at: 1))
        _ = try await store.pending.add(message(1))
        try await store.connections.connect(
            PeerConnection(peer: .site(exampleApp), address: "kaspa:qa", methods: ["send"], connectedAt: 0))
        try await store.activity.clear()
        #expect(try await store.activity.transactions().items.isEmpty)
        #expect(try await store.activity.signatures().items.isEmpty)
        #expect(try await store.connections.connection(of: .site(exampleApp)) != nil)
        #expect(try await store.pending.count() == 1)
    }

    @Test func `values outside of their bounds are refused`() async throws {
        let ledger = try await folder.store().activity
        let long = String(repeating: "x", count: 2_049)
        let bad = [
            sent(1, at: 0, app: AppMetadata(domain: "", uri: "", scheme: "")),
            sent(1, at: 0, app: AppMetadata(domain: String(long.prefix(254)), uri: "", scheme: "")),
            sent(1, at: 0, app: AppMetadata(domain: "d", uri: long, scheme: "")),
            sent(1, at: 0, app: AppMetadata(domain: "d", uri: "", scheme: String(long.prefix(65)))),
            sent(1, at: 0, from: ""), sent(1, at: 0, from: String(long.prefix(129))),
            SentTransaction(transactionID: transactionID(1), method: "", address: "a", sentAt: 0),
            SentTransaction(transactionID: transactionID(1), method: String(long.prefix(65)), address: "a", sentAt: 0),
            SentTransaction(transactionID: "1", method: "m", address: "a", sentAt: 0),
        ]
        for sent in bad {
            let error = await #expect(throws: StoreError.self) { try await ledger.record(sent) }
            #expect(error?.code == .invalidValue)
        }
        let error = await #expect(throws: StoreError.self) {
            try await ledger.log(SignatureRecord(digest: "1", method: "m", address: "a", signedAt: 0))
        }
        #expect(error?.detail == "digest: 64 hex digits")
        let app = AppMetadata(
            domain: String(long.prefix(253)), uri: String(long.prefix(2_048)), scheme: String(long.prefix(64)))
        #expect(try await ledger.record(sent(1, at: 0, app: app, from: String(long.prefix(128)))))
    }
}
