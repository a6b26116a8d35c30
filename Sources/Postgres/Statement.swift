/// A statement that each connection prepares when it first runs it.
///
/// It is a constant of the program.
package struct Statement: Sendable {
    /// The name of the prepared statement: different for every text.
    package let name: String
    /// One SQL statement with its parameters as `$1`, `$2`, ….
    package let text: String

    package init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }
}
