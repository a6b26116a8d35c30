/// A certificate for `localhost` that only itself vouches for, valid for two days.
package struct SelfSignedCertificate {
    /// The private key, in PEM.
    package let key: String
    /// The certificate, in PEM.
    package let certificate: String

    /// Makes one with the program `openssl`.
    package init() throws {
        let text = try Command.run([
            "openssl", "req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-keyout", "/dev/stdout", "-out", "/dev/stdout", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost",
        ])
        guard let key = Self.block("PRIVATE KEY", in: text), let certificate = Self.block("CERTIFICATE", in: text)
        else { throw PostgresServerError("openssl made no certificate: \(text)") }
        self.key = key
        self.certificate = certificate
    }

    private static func block(_ name: String, in text: String) -> String? {
        let lines = text.split(separator: "\n")
        guard let first = lines.firstIndex(of: "-----BEGIN \(name)-----"),
            let last = lines.firstIndex(of: "-----END \(name)-----"), first < last
        else { return nil }
        return lines[first...last].joined(separator: "\n") + "\n"
    }
}
