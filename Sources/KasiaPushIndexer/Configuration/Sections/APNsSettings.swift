import APNs

/// The section `apns`, present only with all of Apple's credentials.
struct APNsSettings: Sendable, Equatable {
    /// The host of Apple's for devices that do not name theirs.
    enum Environment: String, CaseIterable, Sendable {
        case sandbox
        case production

        var host: APNsHost {
            switch self {
            case .sandbox: .development
            case .production: .production
            }
        }
    }

    /// The settings besides the credentials.
    struct Connection: Sendable, Equatable {
        var environment = Environment.sandbox
        /// An https origin in place of both of Apple's; excludes the next two.
        var endpoint: String?
        /// An https origin in place of Apple's for development builds.
        var sandboxEndpoint: String?
        /// An https origin in place of Apple's for production builds.
        var productionEndpoint: String?
        /// The PEM file of the authority of these origins; readable when the configuration was loaded.
        var caPath: String?
        /// HTTP/2 connections to each host: 1 to 16.
        var connections = 2
        /// Concurrent streams on each: 1 to 1000.
        var streams = 500
    }

    /// The issuer of provider tokens.
    var teamID: String
    /// The name of the signing key.
    var keyID: String
    /// The app's bundle id.
    var topic: String
    /// The signing key.
    var key: APNsKey
    var connection = Connection()

    /// The operator's own host.
    var host: APNsHost { connection.environment.host }

    /// The origin to which requests to a host are sent.
    func origin(of host: APNsHost) -> String {
        let endpoint =
            switch host {
            case .development: connection.sandboxEndpoint
            case .production: connection.productionEndpoint
            }
        return connection.endpoint ?? endpoint ?? host.appleOrigin
    }

    /// Reads the section.
    ///
    /// Returns nil if no credential is set; if only some are, each missing one is a problem.
    static func read(from reader: inout SettingsReader) -> APNsSettings? {
        var teamID: String?
        var keyID: String?
        var topic: String?
        reader.update(&teamID, from: .apnsTeamID, as: .identifier(maximumLength: 64))
        reader.update(&keyID, from: .apnsKeyID, as: .identifier(maximumLength: 64))
        reader.update(&topic, from: .apnsTopic, as: .identifier(maximumLength: 255))
        let key = APNsKey.read(from: &reader)
        let connection = readConnection(from: &reader)
        reportMissing(to: &reader)
        guard let teamID, let keyID, let topic, let key else { return nil }
        return APNsSettings(teamID: teamID, keyID: keyID, topic: topic, key: key, connection: connection)
    }

    private static func readConnection(from reader: inout SettingsReader) -> Connection {
        var connection = Connection()
        reader.update(&connection.environment, from: .apnsEnvironment, as: .oneOf)
        reader.update(&connection.endpoint, from: .apnsEndpoint, as: .origin(schemes: ["https"]))
        reader.update(&connection.sandboxEndpoint, from: .apnsSandboxEndpoint, as: .origin(schemes: ["https"]))
        reader.update(&connection.productionEndpoint, from: .apnsProductionEndpoint, as: .origin(schemes: ["https"]))
        reportEndpoints(to: &reader)
        reader.update(&connection.caPath, from: .apnsCAPath, as: .certificateFile)
        reader.update(&connection.connections, from: .apnsConnections, as: .integer(in: 1...16))
        reader.update(&connection.streams, from: .apnsStreams, as: .integer(in: 1...1_000))
        return connection
    }

    private static func reportEndpoints(to reader: inout SettingsReader) {
        guard reader.isSet(.apnsEndpoint) else { return }
        for key in [ConfigurationKey.apnsSandboxEndpoint, .apnsProductionEndpoint] where reader.isSet(key) {
            reader.report(
                key,
                "\(key.rawValue) and apns.endpoint are both set; allowed: apns.endpoint, which stands in for both of "
                    + "Apple's hosts, or apns.sandbox_endpoint and apns.production_endpoint, for one each")
        }
    }

    private static func reportMissing(to reader: inout SettingsReader) {
        let credentials: [(keys: [ConfigurationKey], name: String)] = [
            ([.apnsTeamID], "apns.team_id"), ([.apnsKeyID], "apns.key_id"), ([.apnsTopic], "apns.topic"),
            ([.apnsKeyPath, .apnsKey], "apns.key_path or apns.key"),
        ]
        let isSet = credentials.map { $0.keys.contains { reader.isSet($0) } }
        guard isSet.contains(true) else { return }
        for (credential, isSet) in zip(credentials, isSet) where !isSet {
            let variables = credential.keys.map(\.environmentName).joined(separator: " or ")
            reader.report(
                credential.keys[0],
                "\(credential.name) (\(variables)) is missing; allowed: all of apns.team_id, apns.key_id, apns.topic and "
                    + "one of apns.key_path, apns.key, or none of them")
        }
    }

    /// Every key of the section, with its default if there are no credentials.
    static func settings(of apns: APNsSettings?) -> [(key: ConfigurationKey, text: String)] {
        let connection = apns?.connection ?? Connection()
        return [
            (.apnsTeamID, apns?.teamID ?? ""),
            (.apnsKeyID, apns?.keyID ?? ""),
            (.apnsTopic, apns?.topic ?? ""),
            (.apnsKeyPath, apns?.key.path ?? ""),
            (.apnsKey, apns.map { $0.key.path == nil ? $0.key.pem.description : "" } ?? ""),
            (.apnsEnvironment, connection.environment.rawValue),
            (.apnsEndpoint, connection.endpoint ?? ""),
            (.apnsSandboxEndpoint, connection.sandboxEndpoint ?? ""),
            (.apnsProductionEndpoint, connection.productionEndpoint ?? ""),
            (.apnsCAPath, connection.caPath ?? ""),
            (.apnsConnections, String(connection.connections)),
            (.apnsStreams, String(connection.streams)),
        ]
    }
}

extension APNsConfiguration {
    /// The client's configuration from the operator's settings.
    init(_ settings: APNsSettings) {
        self.init(
            developmentOrigin: settings.origin(of: .development), productionOrigin: settings.origin(of: .production),
            defaultHost: settings.host, certificateAuthorityPath: settings.connection.caPath, topic: settings.topic,
            connections: settings.connection.connections, streams: settings.connection.streams)
    }
}
