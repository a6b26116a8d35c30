/// Why a test's server could not be had.
package struct PostgresServerError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
