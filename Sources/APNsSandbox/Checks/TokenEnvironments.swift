import Synchronization

/// The device tokens that are good at one host only.
final class TokenEnvironments: Sendable {
    private let environments = Mutex<[String: SandboxEnvironment]>([:])

    /// All of them, in the order of their tokens.
    var entries: [SandboxToken] {
        environments.withLock { $0 }.sorted { $0.key < $1.key }.map { SandboxToken($0.key, goodAt: $0.value) }
    }

    func set(_ token: SandboxToken) {
        environments.withLock { $0[token.token] = token.environment }
    }

    /// Whether a port that stands in for `environment`, or for both if nil, takes the token.
    func isGood(_ token: String, at environment: SandboxEnvironment?) -> Bool {
        guard let environment else { return true }
        return environments.withLock { environments in
            environments.isEmpty || environments[token.lowercased()].map { $0 == environment } ?? true
        }
    }
}
