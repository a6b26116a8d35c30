import API

/// The section `http`.
struct HTTPSettings: Sendable, Equatable {
    /// The most trusted proxies: each request from a proxy is compared with all of them.
    static let maximumTrustedProxies = 256
    /// The most host names.
    static let maximumHostNames = 256

    /// The address or name to listen on.
    var host = "127.0.0.1"
    /// 0 to 65535; 0 takes a free one.
    var port = 8_080
    /// The proxies whose `X-Forwarded-For` is trusted; at most 256.
    var trustedProxies: [AddressBlock] = []
    /// Changes of registrations a minute and client address: 0 (off) to 1,000,000.
    var rateLimitPerMinute = 60
    /// Connections served at once: 1 to 100,000.
    ///
    /// Further ones wait. The default is below the usual limit of 1024 file descriptors, of which the store needs some.
    var maxConnections = 512
    /// Event streams open at once: 0 to 100,000, fewer than `maxConnections`, since each needs a connection.
    var maxStreams = 256
    /// Host names that the server answers to, besides those of loopback; at most 256.
    ///
    /// If empty, all; a server on loopback then answers to loopback names only.
    var hostNames: [String] = []
    /// The explorer's link to a transaction, with `{tx_id}` in it; empty for the network's usual explorer, `none` for
    /// no links.
    var explorerURL = ""
    /// The PEM files of TLS; nil for plain HTTP.
    var tls: TLSFiles?

    /// Both were readable when they were loaded.
    struct TLSFiles: Sendable, Equatable {
        /// The chain, the server's own certificate first.
        var certificatePath: String
        var keyPath: String
    }

    mutating func update(from reader: inout SettingsReader) {
        reader.update(&host, from: .httpHost, as: .host)
        reader.update(&port, from: .httpPort, as: .integer(in: 0...65_535))
        reader.update(
            &trustedProxies, from: .httpTrustedProxies, each: .addressBlock, count: 0...Self.maximumTrustedProxies)
        reader.update(&rateLimitPerMinute, from: .httpRateLimitPerMinute, as: .integer(in: 0...1_000_000))
        reader.update(&maxConnections, from: .httpMaxConnections, as: .integer(in: 1...100_000))
        updateStreams(from: &reader)
        reader.update(&hostNames, from: .httpHostNames, each: .hostName, count: 0...Self.maximumHostNames)
        reader.update(&explorerURL, from: .httpExplorerURL, as: .explorerURL)
        updateTLS(from: &reader)
    }

    private mutating func updateStreams(from reader: inout SettingsReader) {
        reader.update(&maxStreams, from: .httpMaxStreams, as: .integer(in: 0...100_000))
        if !reader.isSet(.httpMaxStreams) {
            // At most half of the connections, so that other calls have the other half.
            maxStreams = min(maxStreams, maxConnections / 2)
        } else if maxStreams >= maxConnections {
            reader.report(
                .httpMaxStreams,
                "\(maxStreams) is not allowed; allowed: less than http.max_connections, which is \(maxConnections)")
        }
    }

    private mutating func updateTLS(from reader: inout SettingsReader) {
        var certificatePath: String?
        var keyPath: String?
        reader.update(
            &certificatePath, from: .httpTLSCertificatePath,
            as: .pemFile(with: "CERTIFICATE-----", allowed: "a PEM file with a certificate that can be read"))
        reader.update(
            &keyPath, from: .httpTLSKeyPath,
            as: .pemFile(with: "PRIVATE KEY-----", allowed: "a PEM file with a private key that can be read"))
        guard reader.isSet(.httpTLSCertificatePath) == reader.isSet(.httpTLSKeyPath) else {
            let missing: ConfigurationKey =
                reader.isSet(.httpTLSKeyPath) ? .httpTLSCertificatePath : .httpTLSKeyPath
            reader.report(
                missing,
                "\(missing.rawValue) (\(missing.environmentName)) is missing; allowed: both of http.tls_cert_path and "
                    + "http.tls_key_path, or none of them")
            return
        }
        if let certificatePath, let keyPath {
            tls = TLSFiles(certificatePath: certificatePath, keyPath: keyPath)
        } else if !reader.isSet(.httpTLSCertificatePath) {
            tls = nil
        }
    }

    var settings: [(key: ConfigurationKey, text: String)] {
        [
            (.httpHost, host),
            (.httpPort, String(port)),
            (.httpTrustedProxies, trustedProxies.map(\.description).joined(separator: ",")),
            (.httpRateLimitPerMinute, String(rateLimitPerMinute)),
            (.httpMaxConnections, String(maxConnections)),
            (.httpMaxStreams, String(maxStreams)),
            (.httpHostNames, hostNames.joined(separator: ",")),
            (.httpExplorerURL, explorerURL),
            (.httpTLSCertificatePath, tls?.certificatePath ?? ""),
            (.httpTLSKeyPath, tls?.keyPath ?? ""),
        ]
    }
}
