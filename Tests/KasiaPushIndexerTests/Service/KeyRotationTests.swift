import Testing

@testable import KasiaPushIndexer

@Suite("What a SIGHUP takes up of apns")
struct KeyRotationTests {
    private let settings = APNsSettings(
        teamID: "TEAM123456", keyID: "KEY1234567", topic: "org.example.kasia",
        key: APNsKey(pem: Secret("one"), path: "/one.p8"))

    @Test("ids and key are taken up, and so is the key's path")
    func takenUp() {
        var changed = settings
        changed.teamID = "TEAM765432"
        changed.keyID = "KEY7654321"
        changed.key = APNsKey(pem: Secret("two"), path: "/two.p8")
        #expect(KeyRotation.needingRestart(from: settings, to: settings) == [])
        #expect(KeyRotation.needingRestart(from: settings, to: changed) == [])
        changed.key = APNsKey(pem: Secret("two"), path: nil)
        #expect(KeyRotation.needingRestart(from: settings, to: changed) == [])
    }

    @Test("each other value needs a restart, and is named by its key")
    func restart() {
        var changed = settings
        changed.topic = "org.example.other"
        #expect(KeyRotation.needingRestart(from: settings, to: changed) == [.apnsTopic])
        changed.connection.environment = .production
        changed.connection.endpoint = "https://127.0.0.1:8443"
        changed.connection.sandboxEndpoint = "https://127.0.0.1:8443"
        changed.connection.productionEndpoint = "https://127.0.0.1:8443"
        changed.connection.caPath = "/ca.pem"
        changed.connection.connections = 3
        changed.connection.streams = 7
        #expect(
            KeyRotation.needingRestart(from: settings, to: changed) == [
                .apnsTopic, .apnsEnvironment, .apnsEndpoint, .apnsSandboxEndpoint, .apnsProductionEndpoint, .apnsCAPath,
                .apnsConnections, .apnsStreams,
            ])
    }
}
