import Testing

@testable import KasiaPushStore

@Suite struct ConnectionDecisionTests {
    static let capabilities: [String: MethodPolicy] = [
        "network": .open, "connect": .connect, "balance": .granted, "sign": .approved,
    ]
    static let connection = PeerConnection(
        peer: .device("desktop"), address: "kaspa:qa", methods: ["balance", "sign", "other"], connectedAt: 0)
    static let bare = PeerConnection(peer: .device("desktop"), address: "kaspa:qa", methods: [], connectedAt: 0)

    @Test(
        arguments: [
            ("network", nil, ConnectionDecision.answer(address: nil)), ("connect", nil, .ask(address: nil)),
            ("balance", nil, .refuse(code: 4_100)), ("sign", nil, .refuse(code: 4_100)),
            ("other", nil, .refuse(code: 4_100)), ("", nil, .refuse(code: 4_100)),
            ("network", connection, .answer(address: "kaspa:qa")),
            ("connect", connection, .answer(address: "kaspa:qa")),
            ("balance", connection, .answer(address: "kaspa:qa")), ("sign", connection, .ask(address: "kaspa:qa")),
            ("other", connection, .refuse(code: 4_100)), ("Sign", connection, .refuse(code: 4_100)),
            ("connect", bare, .answer(address: "kaspa:qa")), ("balance", bare, .refuse(code: 4_100)),
            ("sign", bare, .refuse(code: 4_100)),
        ] as [(String, PeerConnection?, ConnectionDecision)])
    func `a method is answered, asked about or refused`(
        method: String, connection: PeerConnection?, decision: ConnectionDecision
    ) {
        #expect(ConnectionDecision(method, capabilities: Self.capabilities, connection: connection) == decision)
    }
}
