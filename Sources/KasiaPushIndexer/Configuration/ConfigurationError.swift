/// All mistakes of a configuration; it stops the start.
struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// At least one; those of the file come first, then the keys' in the order of configuration.md.
    let problems: [ConfigurationProblem]

    /// One line for each mistake.
    var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
