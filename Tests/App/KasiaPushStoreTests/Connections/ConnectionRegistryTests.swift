import Testing

@testable import KasiaPushStore

@Suite struct ConnectionRegistryTests {
    static let site = ConnectedPeer.site(exampleApp)
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    static func connection(
        _ peer: ConnectedPeer, to address: String = "kaspa:qa", at time: Int64 = 0
    ) -> PeerConnection {
        PeerConnection(peer: peer, address: address, methods: ["balance", "sign"], connectedAt: time)
    }

    @Test(arguments: [site, .device("desktop")]) func `a peer is connected to one address at a time`(
        peer: ConnectedPeer
    )
        async throws
    {
        let store = try await folder.store()
        let registry = store.connections
        #expect(try await registry.connection(of: peer) == nil)
        try await registry.connect(Self.connection(peer))
        #expect(try await registry.connection(of: peer) == Self.connection(peer))
        let later = PeerConnection(peer: peer, address: "KASPA:QB", methods: ["balance"], connectedAt: 9)
        try await registry.connect(later)
        #expect(try await registry.connection(of: peer) == later)
        #expect(try await registry.connections().map(\.address) == ["kaspa:qb"])
        #expect(try await store.integer("SELECT count(*) FROM granted_methods") == 1)
    }

    @Test func `a decision is made of what is kept`() async throws {
        let registry = try await folder.store().connections
        let capabilities: [String: MethodPolicy] = ["connect": .connect, "balance": .granted, "sign": .approved]
        #expect(try await registry.decide("connect", from: Self.site, capabilities: capabilities) == .ask(address: nil))
        #expect(try await registry.decide("sign", from: Self.site, capabilities: capabilities) == .refuse(code: 4_100))
        try await registry.connect(Self.connection(Self.site))
        let sign = try await registry.decide("sign", from: Self.site, capabilities: capabilities)
        #expect(sign == .ask(address: "kaspa:qa"))
        for other in [
            ConnectedPeer.site(AppMetadata(domain: "example.com", uri: "https://example.com/app", scheme: "http")),
            .site(AppMetadata(domain: "example.org", uri: "https://example.com/app", scheme: "https")),
            .site(AppMetadata(domain: "example.com", uri: "https://example.com/", scheme: "https")),
            .device("example.com"),
        ] {
            #expect(try await registry.decide("sign", from: other, capabilities: capabilities) == .refuse(code: 4_100))
        }
        try await registry.disconnect(Self.site)
        #expect(try await registry.decide("sign", from: Self.site, capabilities: capabilities) == .refuse(code: 4_100))
    }

    @Test func `connections are listed by address, the latest first`() async throws {
        let registry = try await folder.store().connections
        try await registry.connect(Self.connection(Self.site, at: 5))
        try await registry.connect(Self.connection(.device("a"), to: "kaspa:qb", at: 5))
        try await registry.connect(Self.connection(.device("b"), at: 7))
        #expect(try await registry.connections().map(\.peer) == [.device("b"), .device("a"), Self.site])
        #expect(try await registry.connections(to: "KASPA:QA").map(\.peer) == [.device("b"), Self.site])
        #expect(try await registry.connections(to: "kaspa:qc").isEmpty)
    }

    @Test func `disconnecting ends one, clearing ends all, and neither leaves anything behind`() async throws {
        let store = try await folder.store()
        let registry = store.connections
        for peer in [Self.site, .device("a"), .device("b")] { try await registry.connect(Self.connection(peer)) }
        try await registry.disconnect(Self.site)
        try await registry.disconnect(Self.site)
        try await registry.disconnect(.device("missing"))
        #expect(try await Set(registry.connections().map(\.peer)) == [.device("a"), .device("b")])
        #expect(try await store.integer("SELECT count(*) FROM apps") == 0)
        try await registry.clear()
        #expect(try await registry.connections().isEmpty)
        #expect(try await store.integer("SELECT count(*) FROM granted_methods") == 0)
    }

    @Test func `an app that the ledger knows stays when its connection ends`() async throws {
        let store = try await folder.store()
        try await store.connections.connect(Self.connection(Self.site))
        _ = try await store.activity.record(sent(1, at: 0))
        try await store.connections.disconnect(Self.site)
        #expect(try await store.activity.transactions().items.map(\.app) == [exampleApp])
    }

    @Test func `at most 256 are connected`() async throws {
        let registry = try await folder.store().connections
        for number in 1...256 { try await registry.connect(Self.connection(.device("\(number)"))) }
        let error = await #expect(throws: StoreError.self) { try await registry.connect(Self.connection(Self.site)) }
        #expect(error?.code == .tooMany)
        // One that is connected may connect again.
        try await registry.connect(Self.connection(.device("1"), to: "kaspa:qb"))
        #expect(try await registry.connections().count == 256)
        try await registry.disconnect(.device("2"))
        try await registry.connect(Self.connection(Self.site))
    }

    @Test(arguments: [(31, true), (32, true), (33, false)]) func `a connection has at most 32 methods`(
        count: Int, isTaken: Bool
    ) async throws {
        let registry = try await folder.store().connections
        let methods = Set((0..<count).map { "method\($0)" })
        let connection = PeerConnection(peer: Self.site, address: "kaspa:qa", methods: methods, connectedAt: 0)
        if isTaken {
            try await registry.connect(connection)
        } else {
            let error = await #expect(throws: StoreError.self) { try await registry.connect(connection) }
            #expect(error?.code == .invalidValue)
        }
        #expect(try await registry.connection(of: Self.site)?.methods == (isTaken ? methods : nil))
    }

    @Test(arguments: [
        PeerConnection(peer: .device(""), address: "kaspa:qa", methods: [], connectedAt: 0),
        PeerConnection(peer: .device(String(repeating: "d", count: 129)), address: "a", methods: [], connectedAt: 0),
        PeerConnection(peer: site, address: "", methods: [], connectedAt: 0),
        PeerConnection(peer: site, address: "a", methods: [""], connectedAt: 0),
        PeerConnection(peer: site, address: "a", methods: [String(repeating: "m", count: 65)], connectedAt: 0),
    ])
    func `a connection outside of its bounds is refused`(connection: PeerConnection) async throws {
        let registry = try await folder.store().connections
        let error = await #expect(throws: StoreError.self) { try await registry.connect(connection) }
        #expect(error?.code == .invalidValue)
        #expect(try await registry.connections().isEmpty)
    }
}
