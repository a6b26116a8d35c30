/// Why the service cannot start: one sentence for the operator.
struct StartError: Error, CustomStringConvertible {
    let description: String
}
