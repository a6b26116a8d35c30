import APNs
import Foundation
import Testing

@testable import KasiaPushIndexer

@Suite("IndexerConfiguration")
struct IndexerConfigurationTests {
    let samples: ConfigurationSamples
    let nowhere: String

    init() throws {
        samples = try ConfigurationSamples()
        nowhere = samples.directory.path + "/none.yaml"
    }

    private func load(_ yaml: String? = nil, _ environment: [String: String] = [:]) throws -> IndexerConfiguration {
        let file = try yaml.map { try samples.directory.write($0, to: "\(UUID().uuidString).yaml") }
        return try IndexerConfiguration.load(file: file, defaultFile: nowhere, environment: environment)
    }

    @Test("without a file and variables every key has its default")
    func defaults() throws {
        let configuration = try load()
        #expect(configuration == IndexerConfiguration())
        let expected: [ConfigurationKey: String] = [
            .networkType: "mainnet", .nodeURLs: "http://127.0.0.1:16110", .nodeStallTimeout: "30s",
            .nodeCAPath: "",
            .storePath: "./data", .storeURL: "", .storePasswordPath: "", .storeStandby: "false",
            .storeShards: "1", .storeMinFreeSpace: "256MiB", .storeRetention: "", .httpHost: "127.0.0.1",
            .httpPort: "8080", .httpTrustedProxies: "", .httpRateLimitPerMinute: "60",
            .httpMaxConnections: "512", .httpMaxStreams: "256", .httpHostNames: "", .httpExplorerURL: "",
            .httpTLSCertificatePath: "",
            .httpTLSKeyPath: "", .apnsTeamID: "", .apnsKeyID: "", .apnsTopic: "", .apnsKeyPath: "",
            .apnsKey: "", .apnsEnvironment: "sandbox", .apnsEndpoint: "",
            .apnsSandboxEndpoint: "", .apnsProductionEndpoint: "", .apnsCAPath: "", .apnsConnections: "2",
            .apnsStreams: "500", .fcmServiceAccountPath: "", .fcmServiceAccount: "",
            .fcmEndpoint: "https://fcm.googleapis.com", .fcmCAPath: "", .fcmMessagesPerMinute: "600000",
            .fcmConnections: "2", .fcmStreams: "100", .webPushVAPIDKeyPath: "", .webPushVAPIDKey: "",
            .webPushSubject: "",
            .webPushAllowedOrigins: "https://fcm.googleapis.com,https://updates.push.services.mozilla.com,"
                + "https://*.push.services.mozilla.com,https://*.notify.windows.com,https://web.push.apple.com,"
                + "https://*.push.apple.com",
            .webPushPrivateAddresses: "false", .webPushCAPath: "", .webPushConnections: "1", .webPushStreams: "100",
            .pushAuthMode: "mixed",
            .pushPayloadFormat: "kasia", .pushMaxPayloadBytes: "3500", .pushMaxAge: "24h", .pushConfirmations: "0",
            .pushBroadcastChannels: "kaspa,kachat-bugs", .pushRetractions: "false", .pushExpiration: "24h",
            .pushInvalidTokenStrikes: "3", .pushMaxDevices: "1000000", .pushDrainTimeout: "10s",
            .pushSigningKeyPath: "",
            .logLevel: "info", .logFormat: "text",
        ]
        #expect(configuration.settings.map(\.key) == ConfigurationKey.allCases)
        #expect(Dictionary(uniqueKeysWithValues: configuration.settings.map { ($0.key, $0.text) }) == expected)
    }

    @Test("variables are named after their keys")
    func environmentNames() {
        #expect(
            ConfigurationKey.allCases.map(\.environmentName) == [
                "NETWORK_TYPE", "NODE_URLS", "NODE_STALL_TIMEOUT", "NODE_CA_PATH", "STORE_PATH", "STORE_URL",
                "STORE_PASSWORD_PATH", "STORE_STANDBY", "STORE_SHARDS", "STORE_MIN_FREE_SPACE",
                "STORE_RETENTION", "HTTP_HOST",
                "HTTP_PORT", "HTTP_TRUSTED_PROXIES",
                "HTTP_RATE_LIMIT_PER_MINUTE", "HTTP_MAX_CONNECTIONS", "HTTP_MAX_STREAMS", "HTTP_HOST_NAMES",
                "HTTP_EXPLORER_URL",
                "HTTP_TLS_CERT_PATH", "HTTP_TLS_KEY_PATH", "APNS_TEAM_ID", "APNS_KEY_ID", "APNS_TOPIC",
                "APNS_KEY_PATH", "APNS_KEY", "APNS_ENVIRONMENT", "APNS_ENDPOINT",
                "APNS_SANDBOX_ENDPOINT", "APNS_PRODUCTION_ENDPOINT", "APNS_CA_PATH",
                "APNS_CONNECTIONS", "APNS_STREAMS",
                "FCM_SERVICE_ACCOUNT_PATH", "FCM_SERVICE_ACCOUNT", "FCM_ENDPOINT", "FCM_CA_PATH",
                "FCM_MESSAGES_PER_MINUTE", "FCM_CONNECTIONS", "FCM_STREAMS",
                "WEB_PUSH_VAPID_KEY_PATH", "WEB_PUSH_VAPID_KEY", "WEB_PUSH_SUBJECT", "WEB_PUSH_ALLOWED_ORIGINS",
                "WEB_PUSH_PRIVATE_ADDRESSES", "WEB_PUSH_CA_PATH", "WEB_PUSH_CONNECTIONS", "WEB_PUSH_STREAMS",
                "PUSH_AUTH_MODE", "PUSH_PAYLOAD_FORMAT", "PUSH_MAX_PAYLOAD_BYTES", "PUSH_MAX_AGE",
                "PUSH_CONFIRMATIONS", "PUSH_BROADCAST_CHANNELS", "PUSH_RETRACTIONS", "PUSH_EXPIRATION",
                "PUSH_INVALID_TOKEN_STRIKES",
                "PUSH_MAX_DEVICES", "PUSH_DRAIN_TIMEOUT", "PUSH_SIGNING_KEY_PATH", "LOG_LEVEL", "LOG_FORMAT",
            ])
    }

    @Test("the samples set every key except those that exclude others")
    func samplesAreComplete() {
        let excluded: [ConfigurationKey] = [.apnsKey, .apnsEndpoint, .fcmServiceAccount, .webPushVAPIDKey]
        let left = ConfigurationKey.allCases.filter { !excluded.contains($0) }
        #expect(samples.texts.map(\.key) == left)
        let defaults = Dictionary(uniqueKeysWithValues: IndexerConfiguration().settings.map { ($0.key, $0.text) })
        for (key, text) in samples.texts { #expect(text != defaults[key], "\(key.rawValue)") }
    }

    @Test("a file sets every key")
    func file() throws {
        #expect(try load(samples.yaml) == samples.expected)
    }

    @Test("the environment sets every key")
    func environment() throws {
        #expect(try load(nil, samples.environment) == samples.expected)
    }

    @Test("the environment wins over the file, key by key")
    func environmentWins() throws {
        let yaml = """
            network: {type: devnet}
            node: {urls: "http://a:1, http://b:2"}
            store: {path: /from/file}
            http: {host: "::", port: 1, rate_limit_per_minute: 1, trusted_proxies: 192.168.0.1,
                   max_connections: 1, tls_cert_path: /missing, tls_key_path: /missing}
            apns: {team_id: A, key_id: B, topic: C, key_path: /missing, environment: sandbox,
                   sandbox_endpoint: "https://x", production_endpoint: "https://x", ca_path: /missing, connections: 1, streams: 1}
            push: {auth_mode: legacy, payload_format: kasia, max_payload_bytes: 1, max_age: 1s, confirmations: 1,
                   retractions: false, expiration: 1s, invalid_token_strikes: 1, drain_timeout: 1s}
            log: {level: trace, format: text}
            """
        #expect(try load(yaml, samples.environment) == samples.expected)
        let mixed = try load(
            yaml.replacing(", tls_cert_path: /missing, tls_key_path: /missing", with: "")
                .replacing("/missing", with: samples.caPath).replacing("key_path", with: "key")
                .replacing("key: \(samples.caPath)", with: "key: ''").replacing(
                    "team_id: A, key_id: B, topic: C,", with: ""),
            ["HTTP_PORT": "2"])
        #expect(mixed.http.port == 2)
        #expect(mixed.http.host == "::")
        #expect(mixed.node.urls == ["http://a:1", "http://b:2"])
        #expect(mixed.apns == nil)
    }

    @Test("an empty variable takes away what the file sets where a key may be without value")
    func emptyVariable() throws {
        let configuration = try load(
            samples.yaml,
            [
                "HTTP_TRUSTED_PROXIES": "", "APNS_TEAM_ID": "", "APNS_KEY_ID": "", "APNS_TOPIC": "",
                "APNS_KEY_PATH": " ", "FCM_SERVICE_ACCOUNT_PATH": "", "WEB_PUSH_VAPID_KEY_PATH": "",
                "WEB_PUSH_SUBJECT": "", "HTTP_TLS_CERT_PATH": "", "HTTP_TLS_KEY_PATH": "",
                "PUSH_SIGNING_KEY_PATH": "",
            ])
        #expect(configuration.http.trustedProxies == [])
        #expect(configuration.apns == nil)
        #expect(configuration.fcm == nil && configuration.webPush == nil)
        #expect(configuration.http.tls == nil)
        #expect(configuration.push.signingKey == nil)
    }

    @Test("the key can be given as text, with line breaks or with backslash n, and its end trimmed")
    func keyText() throws {
        var variables = samples.environment
        variables["APNS_KEY_PATH"] = nil
        for text in [
            ConfigurationSamples.pem, ConfigurationSamples.pem.replacing("\n", with: "\\n"),
            ConfigurationSamples.pem.replacing("\n", with: "\r\n") + "\n \n",
        ] {
            variables["APNS_KEY"] = text
            let key = try #require(try load(nil, variables).apns?.key)
            #expect(key.pem.revealed == ConfigurationSamples.pem)
            #expect(key.path == nil)
        }
    }

    @Test("a service account and a VAPID key can be given as text")
    func credentialTexts() throws {
        var variables = samples.environment
        variables["FCM_SERVICE_ACCOUNT_PATH"] = nil
        variables["WEB_PUSH_VAPID_KEY_PATH"] = nil
        variables["FCM_SERVICE_ACCOUNT"] = " " + ConfigurationSamples.serviceAccount + "\n"
        let pkcs8 = ConfigurationSamples.pem
        for (text, key) in [
            (ConfigurationSamples.vapidKey, ConfigurationSamples.vapidKey), (pkcs8, pkcs8),
            (pkcs8.replacing("\n", with: "\\n"), pkcs8), (pkcs8.replacing("\n", with: "\r\n") + "\n", pkcs8),
        ] {
            variables["WEB_PUSH_VAPID_KEY"] = text
            let configuration = try load(nil, variables)
            let (fcm, webPush) = (try #require(configuration.fcm), try #require(configuration.webPush))
            #expect(fcm.serviceAccount.revealed == ConfigurationSamples.serviceAccount && fcm.serviceAccountPath == nil)
            #expect(webPush.vapidKey.revealed == key && webPush.vapidKeyPath == nil)
            #expect(configuration.description.contains("fcm.service_account: ***"))
            #expect(configuration.description.contains("web_push.vapid_key: ***"))
            #expect(!"\(configuration) \(String(reflecting: configuration))".contains("secret"))
        }
    }

    @Test("config/indexer.yaml has all keys, and its values are the defaults")
    func shippedFile() throws {
        let path = projectDirectory + "/config/indexer.yaml"
        #expect(try IndexerConfiguration.load(file: path, environment: [:]) == IndexerConfiguration())
        var section = ""
        var keys: [String] = []
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            guard let name = line.split(separator: ":").first, !line.contains("#"), !line.contains("- ") else {
                continue
            }
            if line.hasPrefix("  ") { keys.append(section + "." + name.dropFirst(2)) } else { section = String(name) }
        }
        #expect(Set(keys) == Set(ConfigurationKey.allCases.map(\.rawValue)))
        #expect(keys.count == ConfigurationKey.allCases.count)
    }

    @Test("no print of a configuration, its parts or a dump shows the key")
    func secrets() throws {
        let configuration = try load(nil, samples.environment)
        var dumped = ""
        dump(configuration, to: &dumped)
        let key = configuration.apns?.key
        for text in [
            configuration.description, dumped, String(describing: configuration.apns),
            String(reflecting: configuration),
            String(reflecting: key), "\(configuration.settings)", String(reflecting: configuration.fcm),
            String(reflecting: configuration.webPush), String(reflecting: configuration.push),
        ] {
            #expect(!text.contains("secret"))
        }
        #expect(configuration.description.contains("apns.key_path: \(samples.keyPath)"))
        var variables = samples.environment
        variables["APNS_KEY_PATH"] = nil
        variables["APNS_KEY"] = ConfigurationSamples.pem
        #expect(try load(nil, variables).description.contains("apns.key: ***"))
    }

    @Test("what a configuration prints, the environment reads back")
    func roundTrip() throws {
        let settings = samples.expected.settings
        let variables = Dictionary(uniqueKeysWithValues: settings.map { ($0.key.environmentName, $0.text) })
        let loaded = try load(nil, variables)
        #expect(loaded == samples.expected, "\(loaded)\n\(samples.expected)")
    }

    /// Development's origin, production's, and the operator's own host.
    private func hosts(_ variables: [String: String]) throws -> [String] {
        let settings = try #require(try load(nil, variables).apns)
        let configuration = APNsConfiguration(settings)
        #expect(configuration.hasTwoServers == (variables["APNS_ENDPOINT"] == nil))
        return [configuration.developmentOrigin, configuration.productionOrigin, configuration.defaultHost.label]
    }

    @Test("an endpoint stands in for both of Apple's hosts, or one for each; the environment says which is the own one")
    func origins() throws {
        let apple = APNsHost.allCases.map(\.appleOrigin)
        #expect(apple == ["https://api.sandbox.push.apple.com:443", "https://api.push.apple.com:443"])
        let (first, second) = ("https://127.0.0.1:8443", "https://127.0.0.1:9443")
        var variables = samples.environment
        #expect(try hosts(variables) == [first, second, "production"])
        variables["APNS_SANDBOX_ENDPOINT"] = nil
        #expect(try hosts(variables) == [apple[0], second, "production"])
        variables["APNS_PRODUCTION_ENDPOINT"] = ""
        #expect(try hosts(variables) == apple + ["production"])
        variables["APNS_ENVIRONMENT"] = "Sandbox"
        variables["APNS_SANDBOX_ENDPOINT"] = first
        #expect(try hosts(variables) == [first, apple[1], "development"])
        variables["APNS_SANDBOX_ENDPOINT"] = nil
        variables["APNS_ENDPOINT"] = second
        #expect(try hosts(variables) == [second, second, "development"])
    }
}
