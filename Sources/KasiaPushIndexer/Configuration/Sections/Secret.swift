/// A text that logs, errors and dumps do not show.
struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text that is shown instead.
    static let mask = "***"

    /// The text itself, for the one place that needs it.
    let revealed: String

    init(_ text: String) {
        revealed = text
    }

    var description: String { Self.mask }
    var debugDescription: String { Self.mask }
    var customMirror: Mirror { Mirror(self, children: []) }
}
