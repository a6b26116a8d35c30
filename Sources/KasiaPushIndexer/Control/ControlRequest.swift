import Kaspa
import Store

/// A command's request to the process that has the store: one line of text.
enum ControlRequest: Equatable, Sendable {
    /// Check that the service runs.
    case ping
    /// Write a consistent copy to this directory, an absolute path.
    case backup(directory: String)
    /// Rewrite all tables.
    case compact
    /// Store a valid provider token, so that a command that sends can read it.
    case keepProviderToken
    /// Whether sending is paused, and until when.
    case sending
    /// Remove a device with all its traces.
    case remove(token: [UInt8])

    /// The longest line, in bytes.
    ///
    /// A path has at most 4096, a token twice as many digits.
    static let maximumLineBytes = 8_448

    /// The line without its line feed.
    var line: String {
        switch self {
        case .ping: "ping"
        case .backup(let directory): "backup \(directory)"
        case .compact: "compact"
        case .keepProviderToken: "provider-token"
        case .sending: "sending"
        case .remove(let token): "remove \(Hex.encode(token))"
        }
    }

    /// Parses a line; nil if it is not a request.
    init?(line: String) {
        let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts.first, parts.dropFirst().first) {
        case ("ping", nil): self = .ping
        case ("compact", nil): self = .compact
        case ("provider-token", nil): self = .keepProviderToken
        case ("sending", nil): self = .sending
        case ("backup", let directory?) where directory.hasPrefix("/") && !directory.utf8.contains(0):
            self = .backup(directory: directory)
        case ("remove", let token?):
            guard let bytes = Hex.decode(token), (16...TokenText.maximumBytes).contains(bytes.count) else { return nil }
            self = .remove(token: bytes)
        default: return nil
        }
    }
}

/// A line of the answer: any number of `progress`, then one of the others.
enum ControlReply: Equatable, Sendable {
    case progress(String)
    case done(String)
    case failed(String)

    var line: String {
        switch self {
        case .progress(let text): "progress \(ControlReply.oneLine(text))"
        case .done(let text): "done \(ControlReply.oneLine(text))"
        case .failed(let text): "failed \(ControlReply.oneLine(text))"
        }
    }

    init?(line: String) {
        let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let text = parts.dropFirst().first ?? ""
        switch parts.first {
        case "progress": self = .progress(text)
        case "done": self = .done(text)
        case "failed": self = .failed(text)
        default: return nil
        }
    }

    private static func oneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 }.prefix(ControlRequest.maximumLineBytes / 8))
    }
}
