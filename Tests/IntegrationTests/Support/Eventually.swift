import Testing

struct NeverHappened: Error, CustomStringConvertible {
    let description: String
}

/// Returns when the condition holds; throws when it has not within the limit.
///
/// For what has no event to wait for. The pause only keeps the look-ups apart: no test relies on its length.
func eventually(
    _ what: String, within limit: Duration = .seconds(300), _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw NeverHappened(description: "never happened: \(what)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}
