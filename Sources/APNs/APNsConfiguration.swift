/// Where and how notifications are sent.
public struct APNsConfiguration: Sendable {
    /// The https origin for tokens of development builds, such as `https://api.sandbox.push.apple.com:443`; no path.
    public var developmentOrigin: String
    /// The https origin for tokens of production builds, such as `https://api.push.apple.com:443`; no path.
    public var productionOrigin: String
    /// The operator's own host: for requests that name none.
    public var defaultHost: APNsHost
    /// A PEM file with the authority that signed the servers' certificates; nil is the system's authorities.
    public var certificateAuthorityPath: String?
    /// `apns-topic`: the app's bundle identifier.
    public var topic: String
    /// HTTP/2 connections to each host, 1 to 64; each has a thread and is opened when it is first needed.
    public var connections: Int
    /// Concurrent streams on each connection, 1 to 10,000; the server's own limit is respected below that.
    public var streams: Int
    /// The longest that name look-up, TCP and TLS may take together.
    public var connectTimeout: Duration = .seconds(10)
    /// The longest from the sending of a request to the first header of its answer.
    public var firstByteTimeout: Duration = .seconds(30)
    /// The longest from the sending of a request to the end of its answer.
    public var requestTimeout: Duration = .seconds(30)
    /// Asked before each request is sent, on the connection's thread: one that may not begin is not sent for now.
    public var mayBegin: @Sendable () -> Bool = { true }
    /// How long what is in flight may still take once a graceful shutdown began.
    public var drainTimeout: Duration = .seconds(10)

    /// Requests that may be inside the client for each stream: one on the wire, one ready to follow it.
    static let requestsPerStream = 2

    /// Creates a configuration with the default timeouts, for Apple's hosts or others in their place.
    public init(
        developmentOrigin: String = APNsHost.development.appleOrigin,
        productionOrigin: String = APNsHost.production.appleOrigin, defaultHost: APNsHost,
        certificateAuthorityPath: String? = nil, topic: String, connections: Int = 2, streams: Int = 500
    ) {
        self.developmentOrigin = developmentOrigin
        self.productionOrigin = productionOrigin
        self.defaultHost = defaultHost
        self.certificateAuthorityPath = certificateAuthorityPath
        self.topic = topic
        self.connections = connections
        self.streams = streams
    }

    /// Creates a configuration in which one server stands in for both hosts.
    public init(
        endpoint: String, certificateAuthorityPath: String? = nil, topic: String, connections: Int = 2,
        streams: Int = 500
    ) {
        self.init(
            developmentOrigin: endpoint, productionOrigin: endpoint, defaultHost: .production,
            certificateAuthorityPath: certificateAuthorityPath, topic: topic, connections: connections,
            streams: streams)
    }

    /// Where requests for this host go.
    public func origin(of host: APNsHost) -> String {
        switch host {
        case .development: developmentOrigin
        case .production: productionOrigin
        }
    }

    /// Whether the hosts are two servers: if one stands in for both, there is no other to try.
    public var hasTwoServers: Bool { developmentOrigin != productionOrigin }

    /// Throws for the first value that is out of its range.
    func validate() throws(APNsConfigurationError) {
        for (field, origin) in [("developmentOrigin", developmentOrigin), ("productionOrigin", productionOrigin)]
        where !isOrigin(origin) {
            throw APNsConfigurationError(
                field: field, message: "must be https://HOST or https://HOST:PORT, without a path or user name")
        }
        guard (1...256).contains(topic.utf8.count), topic.utf8.allSatisfy(\.isVisibleASCII) else {
            throw APNsConfigurationError(field: "topic", message: "must be 1 to 256 printable characters")
        }
        guard (1...64).contains(connections) else {
            throw APNsConfigurationError(field: "connections", message: "must be 1 to 64, not \(connections)")
        }
        guard (1...10_000).contains(streams) else {
            throw APNsConfigurationError(field: "streams", message: "must be 1 to 10000, not \(streams)")
        }
        for (field, value) in [
            ("connectTimeout", connectTimeout), ("firstByteTimeout", firstByteTimeout),
            ("requestTimeout", requestTimeout),
        ] where value < .milliseconds(1) || value > .seconds(3600) {
            throw APNsConfigurationError(field: field, message: "must be 1 millisecond to 1 hour, not \(value)")
        }
        guard drainTimeout >= .zero, drainTimeout <= .seconds(3600) else {
            throw APNsConfigurationError(field: "drainTimeout", message: "must be 0 to 1 hour, not \(drainTimeout)")
        }
    }

    private func isOrigin(_ text: String) -> Bool {
        let scheme = "https://"
        guard text.hasPrefix(scheme), text.utf8.count <= 300 else { return false }
        var host = text.dropFirst(scheme.count)
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
            guard let port = Int(host[host.index(after: colon)...]), (1...65_535).contains(port) else { return false }
            host = host[..<colon]
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        return !host.isEmpty
            && host.utf8.allSatisfy { byte in
                byte.isASCIILetterOrDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
                    || isBracketed && [UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]")].contains(byte)
            }
    }
}

/// A configuration value that cannot work: the operator's mistake.
public struct APNsConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The name of the field of ``APNsConfiguration``.
    public var field: String
    /// What is allowed, in a sentence's rest after the field's name.
    public var message: String

    /// The operator's sentence: `APNs streams must be 1 to 10000, not 0`.
    public var description: String { "APNs \(field) \(message)" }
}
