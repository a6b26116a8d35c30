/// The section `web_push`, present only with a VAPID key and a subject.
struct WebPushSettings: Sendable, Equatable {
    /// The largest VAPID key, in bytes.
    ///
    /// A PEM file of a P-256 key has some 250.
    static let maximumBytes = 65_536
    /// The most allowed origins.
    static let maximumOrigins = 64

    /// The settings besides the credentials.
    struct Connection: Sendable, Equatable {
        /// The origins of endpoints that may be registered: 1 to 64, as `allowedOrigin` writes them.
        var allowedOrigins = [
            "https://fcm.googleapis.com", "https://updates.push.services.mozilla.com",
            "https://*.push.services.mozilla.com", "https://*.notify.windows.com", "https://web.push.apple.com",
            "https://*.push.apple.com",
        ]
        /// Whether endpoints may be at private, loopback and link-local addresses.
        var privateAddresses = false
        /// The PEM file of the authority of these origins; readable when the configuration was loaded.
        var caPath: String?
        /// HTTP/2 connections to each origin: 1 to 4.
        var connections = 1
        /// Concurrent streams on each: 1 to 1000.
        var streams = 100
    }

    /// The private key that signs for this server, in PEM form.
    ///
    /// The curve is checked when it is used.
    var vapidKey: Secret
    /// The file that it came from; nil if it was given as text.
    var vapidKeyPath: String?
    /// Whom a push service asks about this server: a `mailto:` or `https:` URL.
    var subject: String
    var connection = Connection()

    /// Reads the section.
    ///
    /// Returns nil if no credential is set; if only one is, the missing one is a problem.
    static func read(from reader: inout SettingsReader) -> WebPushSettings? {
        let key = reader.credential(
            file: (.webPushVAPIDKeyPath, "a file that can be read, with a private key in PEM form"),
            text: (.webPushVAPIDKey, "the text of a private key in PEM form, \\n for line breaks"),
            limit: maximumBytes, complaint: complaint, parse: pem)
        var subject: String?
        reader.update(&subject, from: .webPushSubject, as: .vapidSubject)
        let connection = readConnection(from: &reader)
        reportMissing(to: &reader)
        guard let key, let subject else { return nil }
        return WebPushSettings(
            vapidKey: key.text, vapidKeyPath: key.path, subject: subject, connection: connection)
    }

    private static let frames = ["PRIVATE KEY", "EC PRIVATE KEY"]

    @Sendable private static func pem(_ text: String) -> Secret? {
        PrivateKeyText.normalized(text, frames: frames, limit: maximumBytes)
    }

    /// The mistake in a text that `pem` refuses.
    @Sendable private static func complaint(_ text: String) -> String? {
        PrivateKeyText.complaint(about: text, name: "the VAPID key", frames: frames, limit: maximumBytes)
    }

    private static func readConnection(from reader: inout SettingsReader) -> Connection {
        var connection = Connection()
        reader.update(
            &connection.allowedOrigins, from: .webPushAllowedOrigins, each: .allowedOrigin, count: 1...maximumOrigins)
        reader.update(&connection.privateAddresses, from: .webPushPrivateAddresses, as: .boolean)
        reader.update(&connection.caPath, from: .webPushCAPath, as: .certificateFile)
        reader.update(&connection.connections, from: .webPushConnections, as: .integer(in: 1...4))
        reader.update(&connection.streams, from: .webPushStreams, as: .integer(in: 1...1_000))
        return connection
    }

    private static func reportMissing(to reader: inout SettingsReader) {
        let hasKey = reader.isSet(.webPushVAPIDKeyPath) || reader.isSet(.webPushVAPIDKey)
        guard hasKey != reader.isSet(.webPushSubject) else { return }
        let missing: (key: ConfigurationKey, text: String) =
            hasKey
            ? (.webPushSubject, "web_push.subject (WEB_PUSH_SUBJECT)")
            : (
                .webPushVAPIDKeyPath,
                "web_push.vapid_key_path or web_push.vapid_key (WEB_PUSH_VAPID_KEY_PATH or WEB_PUSH_VAPID_KEY)"
            )
        reader.report(
            missing.key,
            "\(missing.text) is missing; allowed: web_push.subject and one of web_push.vapid_key_path, "
                + "web_push.vapid_key, or none of them")
    }

    /// Every key of the section, with its default if there are no credentials.
    static func settings(of webPush: WebPushSettings?) -> [(key: ConfigurationKey, text: String)] {
        let connection = webPush?.connection ?? Connection()
        return [
            (.webPushVAPIDKeyPath, webPush?.vapidKeyPath ?? ""),
            (.webPushVAPIDKey, webPush.map { $0.vapidKeyPath == nil ? $0.vapidKey.description : "" } ?? ""),
            (.webPushSubject, webPush?.subject ?? ""),
            (.webPushAllowedOrigins, connection.allowedOrigins.joined(separator: ",")),
            (.webPushPrivateAddresses, String(connection.privateAddresses)),
            (.webPushCAPath, connection.caPath ?? ""),
            (.webPushConnections, String(connection.connections)),
            (.webPushStreams, String(connection.streams)),
        ]
    }
}

extension SettingRule where Value == String {
    /// The contact of a server for push services (RFC 8292, section 2.1).
    fileprivate static let vapidSubject = Self(
        allowed: "mailto:NAME@HOST or an https URL, at most 255 bytes without spaces and quotes"
    ) { text in
        let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !#""\<>"#.utf8.contains($0) }
        guard isPlain, text.utf8.count <= 255 else { return nil }
        if text.hasPrefix("mailto:") {
            let parts = text.dropFirst("mailto:".count).split(separator: "@", omittingEmptySubsequences: false)
            return parts.count == 2 && !parts[0].isEmpty && OriginURL.isHostName(String(parts[1])) ? text : nil
        }
        let rest = text.dropFirst("https://".count).prefix { !"/?#".contains($0) }
        return OriginURL("https://\(rest)", schemes: ["https"]) != nil && text.hasPrefix("https://") ? text : nil
    }

    /// An origin of endpoints, in lower case and without the usual port; all hosts below one, or all origins.
    fileprivate static let allowedOrigin = Self(
        allowed: "https://HOST[:PORT], https://*.HOST[:PORT] or *, separated by commas"
    ) { text in
        if text == "*" { return text }
        let wildcard = "https://*."
        let isWildcard = text.lowercased().hasPrefix(wildcard)
        let plain = isWildcard ? "https://" + text.dropFirst(wildcard.count) : text
        guard let origin = OriginURL(plain, schemes: ["https"]) else { return nil }
        // There is nothing below an address, and what ends in a number is one in another of its forms.
        let last = origin.host.split(separator: ".").last ?? ""
        let isName = !origin.host.contains("_") && !last.hasPrefix("0x") && !last.utf8.allSatisfy(\.isDigit)
        guard origin.isAddress ? !isWildcard : isName else { return nil }
        let written = origin.port == 443 ? String(origin.description.dropLast(":443".count)) : origin.description
        return isWildcard ? wildcard + written.dropFirst("https://".count) : written
    }
}
