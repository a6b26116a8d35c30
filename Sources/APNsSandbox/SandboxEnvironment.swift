import Synchronization

/// One of Apple's two hosts.
///
/// A port stands in for one or both, and a device token belongs to one.
public enum SandboxEnvironment: String, Sendable, Hashable, CaseIterable {
    /// `api.sandbox.push.apple.com`, for builds from Xcode.
    case development
    /// `api.push.apple.com`, for builds from TestFlight and the App Store.
    case production
}

/// The host that a device token belongs to.
///
/// The other host answers 400 BadDeviceToken. A port that stands in for both hosts accepts every token.
public struct SandboxToken: Sendable, Equatable {
    /// The device token, in lower-case hexadecimal.
    public var token: String
    /// The only host that accepts it; nil for both.
    public var environment: SandboxEnvironment?

    /// A token that only `environment` accepts.
    public init(_ token: String, goodAt environment: SandboxEnvironment?) {
        self.token = token.lowercased()
        self.environment = environment
    }
}

/// The device tokens that only one host accepts.
final class TokenEnvironments: Sendable {
    private let environments = Mutex<[String: SandboxEnvironment]>([:])

    /// All of them, sorted by token.
    var entries: [SandboxToken] {
        environments.withLock { $0 }.sorted { $0.key < $1.key }.map { SandboxToken($0.key, goodAt: $0.value) }
    }

    func set(_ token: SandboxToken) {
        environments.withLock { $0[token.token] = token.environment }
    }

    /// Whether a port for `environment` (nil for both hosts) accepts the token.
    func isGood(_ token: String, at environment: SandboxEnvironment?) -> Bool {
        guard let environment else { return true }
        return environments.withLock { environments in
            environments.isEmpty || environments[token.lowercased()].map { $0 == environment } ?? true
        }
    }
}
