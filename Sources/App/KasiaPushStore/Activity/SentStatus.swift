/// How a sent transaction stands: `broadcast`, then `pending`, then `confirmed` or `failed`.
public enum SentStatus: String, Sendable, Codable, CaseIterable {
    /// A node has taken it. May become `pending`.
    case broadcast
    /// A block has it. May become `confirmed` or `failed`.
    case pending
    /// The chain has grown by 100 since its acceptance. Final.
    case confirmed
    /// It will not be accepted any more. Final.
    case failed

    /// Whether this step is allowed.
    public func canBecome(_ next: SentStatus) -> Bool {
        switch (self, next) {
        case (.broadcast, .pending), (.pending, .confirmed), (.pending, .failed): true
        default: false
        }
    }
}

/// What the service says of a transaction: `status` in the answer of `POST /v1/activity/refresh`.
public enum RefreshedStatus: String, Sendable, Codable, CaseIterable {
    /// Seen in a block.
    case pending
    /// Accepted by the virtual chain.
    case accepted
    /// Accepted, and the chain has grown by 100 since.
    case confirmed
    /// Taken out of the chain; it may be accepted again.
    case reverted
    /// Never seen as an operation or a transfer that the service lists. This does not mean that it failed.
    case unknown
}

extension SentStatus {
    /// How long after it was sent a reverted transaction may be accepted again: longer than nodes keep one waiting.
    static let revertedFailsAfterMilliseconds: Int64 = 86_400_000

    /// The steps to take after the service's answer; none when it says nothing new.
    func steps(after answer: RefreshedStatus, sentMillisecondsAgo age: Int64) -> [SentStatus] {
        let goal: SentStatus
        switch answer {
        case .pending, .accepted: goal = .pending
        case .confirmed: goal = .confirmed
        case .reverted: goal = age >= SentStatus.revertedFailsAfterMilliseconds ? .failed : .pending
        case .unknown: return []
        }
        if canBecome(goal) { return [goal] }
        return canBecome(.pending) && SentStatus.pending.canBecome(goal) ? [.pending, goal] : []
    }
}
