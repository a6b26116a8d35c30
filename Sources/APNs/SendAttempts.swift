import HTTP2Client

/// What was tried for one notification at one host, and what comes next: the client itself repeats what nobody needs to
/// decide.
struct SendAttempts {
    /// How often a request is sent again because the server did not process it.
    static let maximumImmediateResends = 3
    /// How often a request that was not sent goes to the next connection.
    static let maximumHandBacks = 20

    /// What comes after an attempt.
    enum Next: Equatable {
        case tryAgain
        /// Apple's answer, or the beginning of it.
        case judge(APNsAnswer, isComplete: Bool)
        case end(APNsOutcome)
    }

    private var resends = 0
    private var handBacks = 0
    /// Whether one was made with another provider token than the first.
    private(set) var hasRenewed = false

    /// How many were made before the next one.
    var count: Int { resends + handBacks + (hasRenewed ? 1 : 0) }

    /// An attempt ended; `isOverdue`: it may not wait for a connection any longer.
    mutating func ended(_ ending: Exchange.Ending, isOverdue: Bool) -> Next {
        switch ending {
        case .answered(let answer, let isComplete): return .judge(APNsAnswer(answer), isComplete: isComplete)
        case .abandoned: return .end(.notSent(.abandoned))
        case .handedBack:
            if isOverdue { return .end(.transport(.timeout)) }
            guard handBacks < Self.maximumHandBacks else { return .end(.transport(.reset)) }
            handBacks += 1
            return .tryAgain
        case .failed(.goAwayUnprocessed) where resends < Self.maximumImmediateResends:
            resends += 1
            return .tryAgain
        case .failed(let failure): return .end(.transport(failure))
        }
    }

    /// There is another provider token; the next attempt is the only one with it.
    mutating func renewed() { hasRenewed = true }
}
