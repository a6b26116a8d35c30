/// The names under which the server answers.
///
/// A page whose own host name is made to resolve to this machine (DNS rebinding) is of no other origin for its browser:
/// only the name in its requests gives it away.
struct HostNames: Sendable {
    private let names: Set<String>
    private let isOnLoopback: Bool

    /// `host` is what the server listens on, `names` are those of `http.host_names`.
    init(boundTo host: String, names: [String]) {
        self.names = Set(names.map { HostNames.name(in: $0) })
        isOnLoopback = HostNames.isLoopback(HostNames.name(in: host))
    }

    /// Whether a request with this `Host`, name and perhaps port, is meant for this server.
    ///
    /// Without `http.host_names` a server that listens on loopback answers for loopback names, and for whatever name a
    /// trusted proxy passes on; any other server for all names. No browser leaves the name out, so nobody needs one.
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
