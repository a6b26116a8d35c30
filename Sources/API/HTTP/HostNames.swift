/// The host names that the server answers to.
///
/// They protect from DNS rebinding: a page whose own host name resolves to this machine counts as same-origin for the
/// browser, and only the `Host` of its requests reveals it.
struct HostNames: Sendable {
    private let names: Set<String>
    private let isOnLoopback: Bool

    /// `host` is the address that the server listens on, `names` are those of `http.host_names`.
    init(boundTo host: String, names: [String]) {
        self.names = Set(names.map { HostNames.name(in: $0) })
        isOnLoopback = HostNames.isLoopback(HostNames.name(in: host))
    }

    /// Whether a request with this `Host`, with or without a port, is for this server.
    ///
    /// Without `http.host_names`, a server on loopback answers to loopback names, and to any name from a trusted proxy.
    /// Any other server answers to all names. A request without `Host` is allowed, since browsers always send it.
    func allow(_ host: String?, isFromTrustedProxy: Bool) -> Bool {
        guard let host else { return true }
        let name = HostNames.name(in: host)
        if HostNames.isLoopback(name) || names.contains(name) { return true }
        return names.isEmpty && (!isOnLoopback || isFromTrustedProxy)
    }

    private static func isLoopback(_ name: String) -> Bool {
        guard name != "localhost" else { return true }
        guard let bytes = IPAddress(name)?.bytes else { return false }
        return bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// The name in lower case, without port, brackets, or the dot of the root.
    private static func name(in host: String) -> String {
        let lower = host.lowercased()
        var name = lower[...]
        if lower.hasPrefix("[") {
            name = lower.dropFirst().prefix { $0 != "]" }
        } else if lower.count(where: { $0 == ":" }) == 1 {
            name = lower.prefix { $0 != ":" }
        }
        return String(name.hasSuffix(".") ? name.dropLast() : name)
    }
}
