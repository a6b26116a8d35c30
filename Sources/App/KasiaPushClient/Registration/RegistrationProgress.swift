import KasiaPushCore

/// How far the service has what the app wants, to be shown to the user or a developer.
public struct RegistrationProgress: Hashable, Sendable {
    /// What the manager does at the moment.
    public enum Stage: Hashable, Sendable {
        /// The app has not said what it wants.
        case notAsked
        /// A change is on its way.
        case sending
        /// The next change is sent at this time, milliseconds since 1970.
        case waiting(until: Int64)
        /// There is nothing left to do.
        case done
    }

    /// What the manager does at the moment.
    public var stage: Stage
    /// Whether the service has acknowledged what is wanted now: the registration, or that there is none.
    public var isInEffect: Bool
    /// How many tokens still have to be unregistered: of sign-outs, and of tokens that were replaced.
    public var pendingUnregisters: Int
    /// What keeps the wanted registration, or else a sign-out, from being made; nil if nothing does.
    public var problem: RegistrationProblem?
    /// What the service stored, but found strange, of the last registration.
    public var warnings: [String] = []
}

/// Which registration the numbers of pushes belong to; `GapTracker` takes it.
public struct PushNumbering: Hashable, Sendable, Codable {
    /// The SHA-256 of the token, hex.
    public var tokenHash: String
    /// It grows with each registration whose pushes are numbered from 1 again.
    public var registration: UInt64
}

extension RegistrationMachine {
    /// How far things are.
    mutating func progress(now: Int64) -> RegistrationProgress {
        let stage: RegistrationProgress.Stage =
            switch (current, next(now: now)) {
            case (.some, _): .sending
            case (nil, .send): .waiting(until: now)
            case (nil, .wait(let time)): .waiting(until: time)
            case (nil, .idle): state.wanted == nil ? .notAsked : .done
            }
        let wanted = state.tokens.first { wantedContent(of: $0.token) != .absent }
        let pending = state.tokens.filter { $0.token != wanted?.token && !$0.isGone }
        let isRegistered = wanted.map { $0.acknowledged == wantedContent(of: $0.token) }
        let problems = [wanted?.refusal?.problem, state.pause.problem] + pending.map(\.refusal?.problem)
        return RegistrationProgress(
            stage: stage, isInEffect: isRegistered ?? (state.wanted == .signedOut && pending.isEmpty),
            pendingUnregisters: pending.count, problem: problems.lazy.compactMap(\.self).first)
    }

    /// Whose numbers the pushes have that come now; nil while that is not known.
    var numbering: PushNumbering? {
        guard let token = state.wanted?.registration?.token,
            case .registered? = state.tokens.first(where: { $0.token == token })?.acknowledged
        else { return nil }
        return PushNumbering(tokenHash: token.hash, registration: state.numbering)
    }
}
