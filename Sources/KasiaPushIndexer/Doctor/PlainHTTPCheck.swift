import API

/// Checks whether requests, which have device tokens, may cross a network unencrypted.
enum PlainHTTPCheck {
    /// The finding; nil on loopback, with TLS, and behind a proxy.
    static func finding(_ http: HTTPSettings) -> Finding? {
        guard http.tls == nil, http.trustedProxies.isEmpty, !isLoopback(http.host) else { return nil }
        return Finding(
            .warn, "http",
            "plain HTTP on \(http.host), which is not loopback: device tokens cross the network readable",
            todo: "set http.tls_cert_path and http.tls_key_path, or put a TLS proxy in front and name it in "
                + "http.trusted_proxies")
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host.lowercased() == "localhost" { return true }
        guard let bytes = IPAddress(host)?.bytes else { return false }
        return bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }
}
