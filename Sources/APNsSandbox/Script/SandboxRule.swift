/// One rule of a script: which requests it hits, how often, and what happens to them.
///
/// Rules apply only to requests that pass the checks, so a script never hides a client's mistake. Of the rules that
/// match, the first added wins; those for a device token come before those for all.
public struct SandboxRule: Sendable, Equatable {
    /// A name for removing the rule, and for finding it in the control endpoint's state.
    public var name: String?
    /// The device token, or the id of a Web Push endpoint, that it is for; nil for all.
    ///
    /// It is kept in lower case and compared without regard to case.
    public var token: String?
    /// The host that it is for; nil for both.
    ///
    /// A rule for one host hits no request to a port that stands in for both.
    public var environment: SandboxEnvironment?
    /// The service whose requests it hits; nil for the notifications of all.
    public var carrier: SandboxCarrier?
    /// The chance, 0 to 1, that it hits a matching request.
    ///
    /// The random numbers are seeded.
    public var chance: Double
    /// How many matching requests pass first.
    public var skip: Int
    /// How many requests it hits before it ends; nil for no limit.
    public var times: Int?
    /// The delay before the effect.
    public var delay: Duration
    /// Whether the notification counts as accepted at once, whatever `effect` sends: the carrier has it, and the answer
    /// is lost.
    public var delivered: Bool
    /// What happens to the request.
    public var effect: SandboxEffect

    /// By default, a rule that hits every request.
    public init(
        _ effect: SandboxEffect, name: String? = nil, token: String? = nil, environment: SandboxEnvironment? = nil,
        carrier: SandboxCarrier? = nil, chance: Double = 1, skip: Int = 0, times: Int? = nil, delay: Duration = .zero,
        delivered: Bool = false
    ) {
        self.effect = effect
        self.name = name
        self.token = token?.lowercased()
        self.environment = environment
        self.carrier = carrier
        self.chance = chance
        self.skip = skip
        self.times = times
        self.delay = delay
        self.delivered = delivered
    }
}
