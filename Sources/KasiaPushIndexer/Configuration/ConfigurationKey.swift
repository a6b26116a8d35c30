/// Every key of the configuration, spelled as in config/indexer.yaml.
enum ConfigurationKey: String, CaseIterable, Sendable {
    case networkType = "network.type"
    case nodeURLs = "node.urls"
    case nodeStallTimeout = "node.stall_timeout"
    case nodeCAPath = "node.ca_path"
    case storePath = "store.path"
    case storeURL = "store.url"
    case storePasswordPath = "store.password_path"
    case storeStandby = "store.standby"
    case storeShards = "store.shards"
    case storeMinFreeSpace = "store.min_free_space"
    case storeRetention = "store.retention"
    case httpHost = "http.host"
    case httpPort = "http.port"
    case httpTrustedProxies = "http.trusted_proxies"
    case httpRateLimitPerMinute = "http.rate_limit_per_minute"
    case httpMaxConnections = "http.max_connections"
    case httpMaxStreams = "http.max_streams"
    case httpHostNames = "http.host_names"
    case httpExplorerURL = "http.explorer_url"
    case httpTLSCertificatePath = "http.tls_cert_path"
    case httpTLSKeyPath = "http.tls_key_path"
    case apnsTeamID = "apns.team_id"
    case apnsKeyID = "apns.key_id"
    case apnsTopic = "apns.topic"
    case apnsKeyPath = "apns.key_path"
    case apnsKey = "apns.key"
    case apnsEnvironment = "apns.environment"
    case apnsEndpoint = "apns.endpoint"
    case apnsSandboxEndpoint = "apns.sandbox_endpoint"
    case apnsProductionEndpoint = "apns.production_endpoint"
    case apnsCAPath = "apns.ca_path"
    case apnsConnections = "apns.connections"
    case apnsStreams = "apns.streams"
    case fcmServiceAccountPath = "fcm.service_account_path"
    case fcmServiceAccount = "fcm.service_account"
    case fcmEndpoint = "fcm.endpoint"
    case fcmCAPath = "fcm.ca_path"
    case fcmMessagesPerMinute = "fcm.messages_per_minute"
    case fcmConnections = "fcm.connections"
    case fcmStreams = "fcm.streams"
    case webPushVAPIDKeyPath = "web_push.vapid_key_path"
    case webPushVAPIDKey = "web_push.vapid_key"
    case webPushSubject = "web_push.subject"
    case webPushAllowedOrigins = "web_push.allowed_origins"
    case webPushPrivateAddresses = "web_push.private_addresses"
    case webPushCAPath = "web_push.ca_path"
    case webPushConnections = "web_push.connections"
    case webPushStreams = "web_push.streams"
    case pushAuthMode = "push.auth_mode"
    case pushPayloadFormat = "push.payload_format"
    case pushMaxPayloadBytes = "push.max_payload_bytes"
    case pushMaxAge = "push.max_age"
    case pushConfirmations = "push.confirmations"
    case pushBroadcastChannels = "push.broadcast_channels"
    case pushRetractions = "push.retractions"
    case pushExpiration = "push.expiration"
    case pushInvalidTokenStrikes = "push.invalid_token_strikes"
    case pushMaxDevices = "push.max_devices"
    case pushDrainTimeout = "push.drain_timeout"
    case pushSigningKeyPath = "push.signing_key_path"
    case logLevel = "log.level"
    case logFormat = "log.format"

    /// The section and the name in it.
    var components: [String] {
        rawValue.split(separator: ".").map(String.init)
    }

    /// The environment variable, which overrides the file: `http.port` is `HTTP_PORT`.
    var environmentName: String {
        components.joined(separator: "_").uppercased()
    }

    /// Whether the value must never be shown.
    var isSecret: Bool {
        [.apnsKey, .fcmServiceAccount, .webPushVAPIDKey].contains(self)
    }

    /// Whether the value is the name of a file or directory.
    var isPath: Bool {
        switch self {
        case .nodeCAPath, .storePath, .storePasswordPath, .httpTLSCertificatePath, .httpTLSKeyPath, .apnsKeyPath,
            .apnsCAPath, .fcmServiceAccountPath, .fcmCAPath, .webPushVAPIDKeyPath, .webPushCAPath, .pushSigningKeyPath:
            true
        default: false
        }
    }

    /// Whether the value is a list: comma-separated, or a YAML list.
    var isList: Bool {
        [.nodeURLs, .httpTrustedProxies, .httpHostNames, .webPushAllowedOrigins, .pushBroadcastChannels]
            .contains(self)
    }

    /// The names in a section, in order; empty for an unknown section.
    static func names(in section: String) -> [String] {
        allCases.map(\.components).filter { $0[0] == section }.map { $0[1] }
    }

    /// The sections, in order.
    static let sections = allCases.map { $0.components[0] }.reduce(into: [String]()) { sections, name in
        if !sections.contains(name) { sections.append(name) }
    }
}
