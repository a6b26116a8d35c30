package import Tracing

/// A server as spans name it.
package struct ServerAddress: Equatable, Sendable {
    /// Host or address, without brackets.
    package var host: String
    /// nil when it is the scheme's.
    package var port: Int?

    package init(host: String, port: Int?) {
        self.host = host
        self.port = port
    }

    /// Reads `scheme://host[:port]`, which something else has validated.
    package init(origin: String) {
        let rest = origin.firstRange(of: "://").map { origin[$0.upperBound...] } ?? origin[...]
        let hostEnd = rest.lastIndex(of: "]").map { rest.index(after: $0) } ?? rest.firstIndex(of: ":") ?? rest.endIndex
        let host = rest[..<hostEnd]
        self.init(
            host: String(host.hasPrefix("[") ? host.dropFirst().dropLast() : host),
            port: Int(rest[hostEnd...].dropFirst()))
    }
}

extension SpanAttributes {
    /// Writes `server.address` and `server.port`.
    package mutating func set(_ server: ServerAddress) {
        self[.serverAddress] = server.host
        self[.serverPort] = server.port
    }
}
