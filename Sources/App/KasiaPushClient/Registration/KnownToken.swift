import KasiaPushCore

/// A token that the service may have registered, and what is known of that.
struct KnownToken: Hashable, Sendable, Codable {
    let token: PushToken
    /// Whether a change of it was ever sent.
    var wasTried = false
    /// What the service has acknowledged; nil while it is not known what it has, perhaps of a former installation.
    var acknowledged: TokenContent?
    /// The wallets that the service may have bound the token to, the likeliest last.
    var wallets: [String] = []
    /// The wallet that has signed the last registration; nil if none has.
    var signer: String?
    /// Changes without an answer, which may still arrive.
    var unanswered: [SentChange] = []
    /// The last refusal; the token is left alone until its end.
    var refusal: Refusal?
    /// Whether the service has said that another wallet has the token.
    var mustRelease = false
    /// Whether the service would not free it.
    var releaseFailed = false
    /// How often the service has said so since the last registration.
    var releases = 0
    /// How often in a row a change was repeated at once.
    var immediateRetries = 0
    /// Whether the pushes of its next registration are numbered from 1.
    var startsAnew = true

    init(_ token: PushToken) {
        self.token = token
    }

    /// A refusal that waiting does not heal.
    struct Refusal: Hashable, Sendable, Codable {
        var problem: RegistrationProblem
        /// When the change is tried once more all the same.
        var until: Int64
    }
}

extension KnownToken {
    /// Whether the service has nothing of it, as far as is known.
    var isGone: Bool { !wasTried || acknowledged == .absent }

    mutating func forgetRefusal() {
        refusal = nil
        mustRelease = false
        releaseFailed = false
        releases = 0
        immediateRetries = 0
    }

    mutating func limitTimes(now: Int64) {
        if let until = refusal?.until { refusal?.until = min(until, now + RegistrationMachine.refusalTime) }
        for index in unanswered.indices {
            unanswered[index].until = min(unanswered[index].until, now + SentChange.lateTime)
        }
    }

    mutating func noteDone(_ sent: SentChange) {
        let releases = sent.content == .absent ? releases : 0
        forgetRefusal()
        self.releases = releases
        acknowledged = sent.content
        unanswered = unanswered.compactMap { $0.ifLate(after: sent) }
        wallets = sent.wallet.map { [$0] } ?? unanswered.compactMap(\.wallet)
        if sent.content == .absent { startsAnew = true }
    }

    /// The service may have done it, but will not any more.
    mutating func noteMaybeDone(_ sent: SentChange) {
        if acknowledged != sent.content { acknowledged = nil }
        if sent.content == .absent { startsAnew = true }
        guard let wallet = sent.wallet else { return }
        wallets.removeAll { $0 == wallet }
        wallets.append(wallet)
    }

    mutating func noteUnanswered(_ sent: SentChange) {
        noteMaybeDone(sent)
        unanswered.removeAll { $0.content == sent.content && $0.wallet == sent.wallet }
        unanswered.append(sent)
        unanswered.removeFirst(max(0, unanswered.count - RegistrationMachine.maximumUnanswered))
    }
}

/// What the service has of one token, or is to have.
enum TokenContent: Hashable, Sendable, Codable {
    case absent
    /// The fingerprint of a `DeviceRegistration`.
    case registered(String)
}
