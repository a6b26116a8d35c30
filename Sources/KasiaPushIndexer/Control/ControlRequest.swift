import Kaspa
import Store

/// What a command asks of the process that has the store: one line of text.
enum ControlRequest: Equatable, Sendable {
    /// Whether somebody is there.
    case ping
    /// A consistent copy in this directory, an absolute path.
    case backup(directory: String)
    /// Rewrite all tables.
    case compact
    /// Keep a provider token that can be used in the store: a command that sends reads it there.
    case keepProviderToken
    /// Whether sending is paused, and until when.
    case sending
    /// Remove a device with all its traces.
    case remove(token: [UInt8])

    /// The longest line, in bytes: a path has at most 4096, a token 512.
    static let maximumLineBytes = 8_192

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

    /// Reads a line; nil for what is none of ours.
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
            guard let bytes = Hex.decode(token), (32...256).contains(bytes.count) else { return nil }
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
