/// Where a device token is good; at the other host it gets 400 BadDeviceToken.
///
/// A port that stands in for both hosts takes every token.
public struct SandboxToken: Sendable, Equatable {
    /// The device token, in lower-case hexadecimal.
    public var token: String
    /// The only host that takes it; nil is both, as without this.
    public var environment: SandboxEnvironment?

    /// Says where `token` is good.
    public init(_ token: String, goodAt environment: SandboxEnvironment?) {
        self.token = token.lowercased()
        self.environment = environment
    }
}
