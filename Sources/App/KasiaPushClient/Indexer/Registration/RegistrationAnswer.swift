/// What a successful register or update says: it is on the server's disk.
public struct RegistrationAnswer: Hashable, Sendable, Codable {
    /// What is stored as it is and probably not meant so, a sentence each; nil if there is nothing.
    public var warnings: [String]?

    /// Takes the warnings.
    public init(warnings: [String]? = nil) {
        self.warnings = warnings
    }
}
