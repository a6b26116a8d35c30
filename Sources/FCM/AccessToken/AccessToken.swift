/// What requests to FCM are authorised with: a secret for about an hour.
struct AccessToken: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What follows `Bearer` in the header field.
    let value: String

    /// The longest that is taken, in bytes: it has to fit a request's header fields.
    static let maximumBytes = 8_192

    /// Takes visible ASCII of 1 to `maximumBytes` bytes; nil for anything else.
    init?(_ value: String) {
        guard (1...AccessToken.maximumBytes).contains(value.utf8.count), value.utf8.allSatisfy(\.isPrintable) else {
            return nil
        }
        self.value = value
    }

    /// Does not show the token.
    var description: String { "access token" }
    /// The same as `description`.
    var debugDescription: String { description }
    /// Shows nothing.
    var customMirror: Mirror { Mirror(self, children: []) }
}
