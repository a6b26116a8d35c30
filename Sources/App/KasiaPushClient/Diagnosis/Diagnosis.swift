/// Why no pushes come: one finding for each thing that they need, in the order in which to put them right.
public struct Diagnosis: Hashable, Sendable {
    /// What was looked at.
    public enum Check: String, Hashable, Sendable, CaseIterable {
        /// Whether the user lets the app notify.
        case permission
        /// Whether the app wants a registration, with a token.
        case token
        /// Whether the service answers.
        case server
        /// Whether the service does its work.
        case service
        /// Whether the service has the registration as it is wanted.
        case registration
        /// Whether the token is bound to the wallet.
        case wallet
        /// Whether the service sends to that of Apple's hosts that the token is good at.
        case environment
        /// When the last push came.
        case lastPush
        /// Whether pushes were sent that never came.
        case gap
    }

    /// What was found.
    public enum Verdict: String, Hashable, Sendable {
        /// As it should be.
        case good
        /// Worth a look, but pushes can come.
        case notice
        /// While it is so, no pushes come.
        case bad
        /// It could not be found out.
        case unknown
    }

    /// What was found of one thing.
    public struct Finding: Hashable, Sendable {
        /// What was looked at.
        public var check: Check
        /// What was found.
        public var verdict: Verdict
        /// One sentence for the user.
        public var sentence: String
        /// What to do about it, in a sentence; nil if there is nothing to do.
        public var advice: String?
    }

    /// A finding for each check, in the order of `Check`.
    public var findings: [Finding]

    /// The first thing to put right: what is bad, else what is worth a look; nil if there is neither.
    public var cause: Finding? {
        findings.first { $0.verdict == .bad } ?? findings.first { $0.verdict == .notice }
    }
}
