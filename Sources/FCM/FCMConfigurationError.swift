/// A configuration value that cannot work: the operator's mistake.
public struct FCMConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The name of the field of ``FCMConfiguration``.
    public var field: String
    /// What is allowed, in a sentence's rest after the field's name.
    public var message: String

    /// The operator's sentence: `FCM streams must be 1 to 10000, not 0`.
    public var description: String { "FCM \(field) \(message)" }
}
