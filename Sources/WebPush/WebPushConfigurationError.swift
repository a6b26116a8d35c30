/// A configuration value that cannot work: the operator's mistake.
public struct WebPushConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The name of the field of ``WebPushConfiguration``.
    public var field: String
    /// What is allowed, in a sentence's rest after the field's name.
    public var message: String

    /// The operator's sentence: `Web Push streams must be 1 to 1000, not 0`.
    public var description: String { "Web Push \(field) \(message)" }
}
