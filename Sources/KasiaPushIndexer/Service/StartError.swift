/// Why the service cannot start: one sentence for the operator.
struct StartError: Error, CustomStringConvertible {
    let description: String
    /// Whether the configuration is at fault, so that another start would end in the same way.
    var isConfiguration = false
}
