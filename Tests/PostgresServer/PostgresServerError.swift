/// Why a test's server could not be had.
public struct PostgresServerError: Error, CustomStringConvertible {
    /// What a person reads.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
