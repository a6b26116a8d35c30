import HTTP2Client
import Logging
import Spans

/// One of Apple's hosts with connections and send slots of its own: a silent host takes none of the other's slots.
final class APNsServer: Sendable {
    let host: APNsHost
    let address: ServerAddress
    let slots: SendSlots
    let pool: ConnectionPool

    /// Nothing is connected before the first request.
    init(_ host: APNsHost, _ configuration: APNsConfiguration, logger: Logger) {
        self.host = host
        address = ServerAddress(origin: configuration.origin(of: host))
        slots = SendSlots(
            count: configuration.connections * configuration.streams * APNsConfiguration.requestsPerStream)
        var logger = logger
        if configuration.hasTwoServers { logger[metadataKey: "apns.host"] = "\(host.label)" }
        pool = ConnectionPool(
            connections: configuration.connections, settings: configuration.connectionSettings(for: host),
            logger: logger)
    }
}

extension APNsConfiguration {
    /// What all connections to a host have in common.
    fileprivate func connectionSettings(for host: APNsHost) -> HTTP2Settings {
        var settings = HTTP2Settings(
            service: "APNs", origin: origin(of: host), certificateAuthorityPath: certificateAuthorityPath,
            streams: streams, connectTimeout: connectTimeout, firstByteTimeout: firstByteTimeout,
            requestTimeout: requestTimeout, answerFields: APNsAnswer.fields)
        settings.mayBegin = mayBegin
        return settings
    }
}
