import API
import Kaspa
import Logging

@testable import KasiaPushIndexer

/// A configuration in which no key has its default.
struct ConfigurationSamples {
    static let pem = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgsecretsecretsecr
        -----END PRIVATE KEY-----

        """

    /// A service account in outline: only its frame is looked at.
    static let serviceAccount = #"{"type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----\nsecret"}"#
    /// A VAPID key in outline.
    static let vapidKey = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIsecretsecret\n-----END EC PRIVATE KEY-----\n"

    let directory: TemporaryDirectory
    let keyPath: String
    let caPath: String
    let tlsKeyPath: String
    let serviceAccountPath: String
    let vapidKeyPath: String
    let signingKeyPath: String
    let passwordPath: String

    init() throws {
        directory = try TemporaryDirectory()
        keyPath = try directory.write(Self.pem, to: "AuthKey.p8")
        caPath = try directory.write("-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n", to: "ca.pem")
        tlsKeyPath = try directory.write(Self.pem, to: "tls.key")
        serviceAccountPath = try directory.write(Self.serviceAccount, to: "account.json")
        vapidKeyPath = try directory.write(Self.vapidKey, to: "vapid.pem")
        signingKeyPath = try directory.write(Self.pem, to: "signing.pem")
        passwordPath = try directory.write("secretsecret\n", to: "password")
    }

    /// Each key with a value that is not its default; the key is given by its file, not its text.
    var texts: [(key: ConfigurationKey, text: String)] {
        [
            (.networkType, "testnet-11"),
            (.nodeURLs, "https://node.example:443,http://10.0.0.7:16210"),
            (.nodeStallTimeout, "45s"),
            (.nodeCAPath, caPath),
            (.storePath, "/var/lib/kasia"),
            (.storeURL, "postgresql://kasia@db1,db2:5433/kasia?sslmode=verify-full"),
            (.storePasswordPath, passwordPath),
            (.storeStandby, "True"),
            (.storeShards, "4"),
            (.storeMinFreeSpace, "3GiB"),
            (.storeRetention, "30d"),
            (.httpHost, "0.0.0.0"),
            (.httpPort, "9000"),
            (.httpTrustedProxies, "10.0.0.0/8,::1"),
            (.httpRateLimitPerMinute, "7"),
            (.httpMaxConnections, "1000"),
            (.httpMaxStreams, "999"),
            (.httpHostNames, "Push.example.org,192.0.2.7"),
            (.httpExplorerURL, "https://explorer.example/{tx_id}"),
            (.httpTLSCertificatePath, caPath),
            (.httpTLSKeyPath, tlsKeyPath),
            (.apnsTeamID, "TEAM123456"),
            (.apnsKeyID, "KEY1234567"),
            (.apnsTopic, "org.example.kasia"),
            (.apnsKeyPath, keyPath),
            (.apnsEnvironment, "production"),
            (.apnsSandboxEndpoint, "https://127.0.0.1:8443"),
            (.apnsProductionEndpoint, "https://127.0.0.1:9443"),
            (.apnsCAPath, caPath),
            (.apnsConnections, "3"),
            (.apnsStreams, "100"),
            (.fcmServiceAccountPath, serviceAccountPath),
            (.fcmEndpoint, "https://127.0.0.1:7443"),
            (.fcmCAPath, caPath),
            (.fcmMessagesPerMinute, "6000"),
            (.fcmConnections, "4"),
            (.fcmStreams, "50"),
            (.webPushVAPIDKeyPath, vapidKeyPath),
            (.webPushSubject, "mailto:push@example.org"),
            (.webPushAllowedOrigins, "https://Push.Example.org:443,https://*.Example.org:8443"),
            (.webPushPrivateAddresses, "true"),
            (.webPushCAPath, caPath),
            (.webPushConnections, "2"),
            (.webPushStreams, "7"),
            (.pushAuthMode, "strict"),
            (.pushPayloadFormat, "kachat"),
            (.pushMaxPayloadBytes, "1000"),
            (.pushMaxAge, "2d"),
            (.pushConfirmations, "5"),
            (.pushBroadcastChannels, "News , kaspa"),
            (.pushRetractions, "TRUE"),
            (.pushExpiration, "90m"),
            (.pushInvalidTokenStrikes, "4"),
            (.pushMaxDevices, "5000"),
            (.pushDrainTimeout, "500ms"),
            (.pushSigningKeyPath, signingKeyPath),
            (.logLevel, "debug"),
            (.logFormat, "json"),
        ]
    }

    var environment: [String: String] {
        Dictionary(uniqueKeysWithValues: texts.map { ($0.key.environmentName, $0.text) })
    }

    /// The same as a file, lists as YAML lists.
    var yaml: String {
        ConfigurationKey.sections.map { section in
            let lines = texts.filter { $0.key.components[0] == section }.map { key, text in
                let items = text.split(separator: ",").map { "\"\($0)\"" }.joined(separator: ", ")
                return "  \(key.components[1]): " + (key.isList ? "[\(items)]" : text)
            }
            return "\(section):\n" + lines.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    var expected: IndexerConfiguration {
        var configuration = IndexerConfiguration()
        configuration.network.type = .testnet(11)
        configuration.node.urls = ["https://node.example:443", "http://10.0.0.7:16210"]
        configuration.node.stallTimeout = .seconds(45)
        configuration.node.caPath = caPath
        configuration.store.path = "/var/lib/kasia"
        configuration.store.url = "postgresql://kasia@db1,db2:5433/kasia?sslmode=verify-full"
        configuration.store.passwordPath = passwordPath
        configuration.store.standby = true
        configuration.store.shards = 4
        configuration.store.minFreeSpace = 3 << 30
        configuration.store.retention = .seconds(30 * 86_400)
        configuration.http.host = "0.0.0.0"
        configuration.http.port = 9_000
        configuration.http.trustedProxies = ["10.0.0.0/8", "::1"].compactMap { AddressBlock($0) }
        configuration.http.rateLimitPerMinute = 7
        configuration.http.maxConnections = 1_000
        configuration.http.maxStreams = 999
        configuration.http.hostNames = ["push.example.org", "192.0.2.7"]
        configuration.http.explorerURL = "https://explorer.example/{tx_id}"
        configuration.http.tls = HTTPSettings.TLSFiles(certificatePath: caPath, keyPath: tlsKeyPath)
        configuration.apns = APNsSettings(
            teamID: "TEAM123456", keyID: "KEY1234567", topic: "org.example.kasia",
            key: APNsKey(pem: Secret(Self.pem), path: keyPath),
            connection: APNsSettings.Connection(
                environment: .production, sandboxEndpoint: "https://127.0.0.1:8443",
                productionEndpoint: "https://127.0.0.1:9443", caPath: caPath, connections: 3, streams: 100))
        configuration.fcm = FCMSettings(
            serviceAccount: Secret(Self.serviceAccount), serviceAccountPath: serviceAccountPath,
            connection: FCMSettings.Connection(
                endpoint: "https://127.0.0.1:7443", caPath: caPath, messagesPerMinute: 6_000, connections: 4,
                streams: 50))
        configuration.webPush = WebPushSettings(
            vapidKey: Secret(Self.vapidKey), vapidKeyPath: vapidKeyPath, subject: "mailto:push@example.org",
            connection: WebPushSettings.Connection(
                allowedOrigins: ["https://push.example.org", "https://*.example.org:8443"], privateAddresses: true,
                caPath: caPath, connections: 2, streams: 7))
        configuration.push.authMode = .strict
        configuration.push.payloadFormat = .kachat
        configuration.push.maxPayloadBytes = 1_000
        configuration.push.maxAge = .seconds(172_800)
        configuration.push.confirmations = 5
        configuration.push.broadcastChannels = ["news", "kaspa"]
        configuration.push.retractions = true
        configuration.push.expiration = .seconds(5_400)
        configuration.push.invalidTokenStrikes = 4
        configuration.push.maxDevices = 5_000
        configuration.push.drainTimeout = .milliseconds(500)
        configuration.push.signingKey = Credential(text: Secret(Self.pem), path: signingKeyPath)
        configuration.log.level = .debug
        configuration.log.format = .json
        return configuration
    }
}
