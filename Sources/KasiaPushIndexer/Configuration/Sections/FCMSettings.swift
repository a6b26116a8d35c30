import JSON

/// The section `fcm`, present only with a service account.
struct FCMSettings: Sendable, Equatable {
    /// The largest service account, in bytes.
    ///
    /// Google's file has some 2,400.
    static let maximumBytes = 65_536

    /// The settings besides the service account.
    struct Connection: Sendable, Equatable {
        /// The https origin that messages are sent to.
        var endpoint = "https://fcm.googleapis.com"
        /// The PEM file of the authority of this origin and of `token_uri`; readable when the configuration was loaded.
        var caPath: String?
        /// The most messages that are sent in a minute: 1 to 10,000,000.
        ///
        /// The default is what Google allows a project.
        var messagesPerMinute = 600_000
        /// HTTP/2 connections: 1 to 16.
        var connections = 2
        /// Concurrent streams on each: 1 to 1000.
        var streams = 100
    }

    /// The text of the service account's JSON file.
    ///
    /// It is a JSON object; its members are checked when it is used.
    var serviceAccount: Secret
    /// The file that it came from; nil if it was given as text.
    var serviceAccountPath: String?
    var connection = Connection()

    /// Reads the section.
    ///
    /// Returns nil without a service account.
    static func read(from reader: inout SettingsReader) -> FCMSettings? {
        let account = reader.credential(
            file: (.fcmServiceAccountPath, "a file that can be read, with a service account in JSON (Google's)"),
            text: (.fcmServiceAccount, "the text of Google's file of a service account: a JSON object"),
            limit: maximumBytes, complaint: complaint, parse: { complaint($0) == nil ? Secret($0) : nil })
        let connection = readConnection(from: &reader)
        return account.map {
            FCMSettings(serviceAccount: $0.text, serviceAccountPath: $0.path, connection: connection)
        }
    }

    /// The mistake in the text of a service account; nil if it is a JSON object.
    @Sendable private static func complaint(_ text: String) -> String? {
        if text.utf8.count > maximumBytes { return "the service account is larger than \(maximumBytes) bytes" }
        if text.allSatisfy(\.isWhitespace) { return "the service account is empty" }
        if text.contains("-----BEGIN"), !text.contains("{") {
            return "the service account is a PEM text; Google's whole JSON file is needed"
        }
        guard case .object? = try? JSONParser.parse(Array(text.utf8)) else {
            return "the service account is not a JSON object"
        }
        return nil
    }

    private static func readConnection(from reader: inout SettingsReader) -> Connection {
        var connection = Connection()
        reader.update(&connection.endpoint, from: .fcmEndpoint, as: .origin(schemes: ["https"]))
        reader.update(&connection.caPath, from: .fcmCAPath, as: .certificateFile)
        reader.update(&connection.messagesPerMinute, from: .fcmMessagesPerMinute, as: .integer(in: 1...10_000_000))
        reader.update(&connection.connections, from: .fcmConnections, as: .integer(in: 1...16))
        reader.update(&connection.streams, from: .fcmStreams, as: .integer(in: 1...1_000))
        return connection
    }

    /// Every key of the section, with its default if there is no service account.
    static func settings(of fcm: FCMSettings?) -> [(key: ConfigurationKey, text: String)] {
        let connection = fcm?.connection ?? Connection()
        return [
            (.fcmServiceAccountPath, fcm?.serviceAccountPath ?? ""),
            (.fcmServiceAccount, fcm.map { $0.serviceAccountPath == nil ? $0.serviceAccount.description : "" } ?? ""),
            (.fcmEndpoint, connection.endpoint),
            (.fcmCAPath, connection.caPath ?? ""),
            (.fcmMessagesPerMinute, String(connection.messagesPerMinute)),
            (.fcmConnections, String(connection.connections)),
            (.fcmStreams, String(connection.streams)),
        ]
    }
}
