/// One line of a script: which requests, how often, and what happens to them.
///
/// Rules apply to requests without a fault of their own: a script never hides a client's mistake. Of the rules that
/// match, the first added wins, and those for a device token come before those for all.
public struct SandboxRule: Sendable, Equatable {
    /// A name to remove the rule by, and to find it by in the control endpoint's state.
    public var name: String?
    /// The device token it is for, in lower-case hexadecimal; nil is for all.
    public var token: String?
    /// The host it is for; nil is for both.
    ///
    /// A port that stands in for both hosts gets no request that such a rule is for.
    public var environment: SandboxEnvironment?
    /// The chance, 0 to 1, that a matching request is hit; the random numbers are seeded.
    public var chance: Double
    /// How many matching requests pass first.
    public var skip: Int
    /// How many requests it hits before it is spent; nil: it stands.
    public var times: Int?
    /// How long the effect waits.
    public var delay: Duration
    /// Whether the notification counts as accepted, at once, though `effect` keeps the good news from the client:
    /// Apple had it, and the answer got lost.
    public var delivered: Bool
    /// What happens.
    public var effect: SandboxEffect

    /// A rule for all requests that always hits, unless told otherwise.
    public init(
        _ effect: SandboxEffect, name: String? = nil, token: String? = nil, environment: SandboxEnvironment? = nil,
        chance: Double = 1, skip: Int = 0, times: Int? = nil, delay: Duration = .zero, delivered: Bool = false
    ) {
        self.effect = effect
        self.name = name
        self.token = token?.lowercased()
        self.environment = environment
        self.chance = chance
        self.skip = skip
        self.times = times
        self.delay = delay
        self.delivered = delivered
    }
}
