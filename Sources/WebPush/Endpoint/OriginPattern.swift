/// One origin, all origins below a host, or all.
public struct OriginPattern: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: Hashable {
        case host(String, port: Int)
        case below(suffix: String, port: Int)
        case anything
    }

    /// The pattern in lower case, as it was given.
    public let description: String
    private let kind: Kind

    /// Reads `https://HOST[:PORT]`, `https://*.HOST[:PORT]`, `*` or `https://*`.
    ///
    /// Errors name the pattern and what is allowed.
    public init(_ text: String) throws(OriginPatternError) {
        let lowercased = text.lowercased()
        description = lowercased
        if lowercased == "*" || lowercased == "https://*" {
            kind = .anything
            return
        }
        let error = OriginPatternError(
            description: "\(text.prefix(100)) must be https://HOST, https://HOST:PORT, https://*.HOST or *")
        guard lowercased.hasPrefix(Endpoint.scheme) else { throw error }
        let rest = lowercased.dropFirst(Endpoint.scheme.count)
        let isBelow = rest.hasPrefix("*.")
        guard let parts = HostAndPort(isBelow ? rest.dropFirst(2) : rest) else { throw error }
        let port = parts.port ?? Endpoint.usualPort
        guard isBelow else {
            kind = .host(parts.host, port: port)
            return
        }
        guard !parts.isAddress else { throw error }
        kind = .below(suffix: "." + parts.host, port: port)
    }

    /// Whether the origin of an endpoint is meant.
    func matches(_ endpoint: Endpoint) -> Bool {
        switch kind {
        case .anything: true
        case .host(let host, let port): endpoint.host == host && endpoint.port == port
        // An endpoint's host has no empty labels, so at least one label precedes the suffix.
        case .below(let suffix, let port): endpoint.port == port && endpoint.host.hasSuffix(suffix)
        }
    }
}
