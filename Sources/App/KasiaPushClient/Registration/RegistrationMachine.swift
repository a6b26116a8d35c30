import KasiaPushCore

/// One change of what the service has registered.
enum RegistrationChange: Hashable, Sendable {
    case register(DeviceRegistration)
    /// `wallet` is the one that the token is most likely bound to; nil if no wallet has signed.
    case unregister(PushToken, wallet: String?)

    var token: PushToken {
        switch self {
        case .register(let registration): registration.token
        case .unregister(let token, _): token
        }
    }
}

/// What a manager does next.
enum RegistrationStep: Hashable, Sendable {
    case send(RegistrationChange)
    /// Nothing before this time, milliseconds since 1970.
    case wait(until: Int64)
    /// Nothing before another wish, or before the change on its way has ended.
    case idle
}

/// The decisions of `RegistrationManager`: which change is next, and what an answer means.
///
/// For each token that the service may have there is one content that it should have: the wanted registration, or
/// none. The machine names one change at a time until all agree. A change that got no answer may still reach the
/// service until its nonce has expired. So what was acknowledged before that time is sent once more after it.
struct RegistrationMachine: Sendable {
    /// How long after the last wish it is acted upon, milliseconds.
    static let settlingTime: Int64 = 1_000
    /// How long a refused change is left alone, milliseconds: a day.
    ///
    /// By then an operator or a newer version of the app may have changed what was wrong.
    static let refusalTime: Int64 = 86_400_000
    /// How often in a row a change is repeated at once after a refused nonce.
    static let nonceRetries = 1
    /// The same for a counter, which is raised more each time.
    static let counterRetries = 8
    /// How often a token is freed of another wallet before its registration counts as refused.
    static let maximumReleases = 2
    /// Changes without an answer that are kept of one token.
    static let maximumUnanswered = 8

    private(set) var state: RegistrationState
    /// The change that is prepared or on its way.
    private(set) var current: RegistrationChange?
    /// Of the wanted registration; kept, since it is needed often.
    private var fingerprint: String?

    /// Continues from a stored state, or begins anew.
    init(_ state: RegistrationState?, now: Int64) {
        self.state = state ?? RegistrationState()
        fingerprint = self.state.wanted?.registration?.fingerprint
        // The process ended before the answer came.
        if let sent = self.state.sending { noteUnanswered(sent) }
        self.state.sending = nil
        self.state.pause.hurry(now: now)
    }

    // MARK: The app's events

    /// Takes what the app wants; whether that is something new.
    mutating func want(_ wanted: WantedRegistration, now: Int64) -> Bool {
        let wanted = wanted.canonical
        guard wanted != state.wanted else { return false }
        let tokens = [state.wanted, wanted].compactMap { $0?.registration?.token }
        state.wanted = wanted
        fingerprint = wanted.registration?.fingerprint
        state.wantedAt = now
        // Something else is wanted of these tokens, so a refusal says nothing any more.
        for token in Set(tokens) { update(token) { $0.forgetRefusal() } }
        if let token = wanted.registration?.token, let index = index(of: token) {
            state.tokens.insert(state.tokens.remove(at: index), at: 0)
        }
        forgetSettledTokens()
        return true
    }

    /// The network is back: a pause is cut short unless the service has asked for it.
    mutating func networkReturned(now: Int64) { state.pause.hurry(now: now) }

    /// The user wants another try: refused changes are sent once more, too.
    mutating func retry(now: Int64) {
        state.pause.hurry(now: now)
        for index in state.tokens.indices { state.tokens[index].forgetRefusal() }
    }

    /// The service has said that the token is not registered; that is of interest if it should be.
    mutating func registrationIsGone(_ token: PushToken) {
        guard wantedContent(of: token) != .absent else { return }
        update(token) {
            $0.acknowledged = nil
            $0.startsAnew = true
        }
    }

    // MARK: What is next

    /// What to do now.
    mutating func next(now: Int64) -> RegistrationStep {
        guard current == nil, state.wanted != nil else { return .idle }
        limitTimes(now: now)
        var steps = state.tokens.compactMap { known in
            due(known, now: now).map { (time: $0, change: change(of: known)) }
        }
        if let registration = state.wanted?.registration, index(of: registration.token) == nil {
            steps.insert((now, .register(registration)), at: 0)
        }
        // Of those that are due the first in the row, else the soonest.
        guard let step = steps.first(where: { $0.time <= now }) ?? steps.min(by: { $0.time < $1.time }) else {
            return .idle
        }
        let time = max(step.time, state.wantedAt + RegistrationMachine.settlingTime, state.pause.until)
        return time <= now ? .send(step.change) : .wait(until: time)
    }

    /// When the service is to hear of a token again; nil if it has what it should have.
    private func due(_ known: KnownToken, now: Int64) -> Int64? {
        let content = wantedContent(of: known.token)
        guard known.wasTried || content != .absent else { return nil }
        var time = now
        if known.acknowledged == content {
            guard let late = known.unanswered.filter({ $0.content != content }).map(\.until).max() else { return nil }
            time = late
        }
        return max(time, known.refusal?.until ?? time)
    }

    private func change(of known: KnownToken) -> RegistrationChange {
        guard let registration = state.wanted?.registration, registration.token == known.token else {
            return .unregister(known.token, wallet: known.wallets.last ?? known.signer)
        }
        let other = known.wallets.last { $0 != registration.walletAddress }
        guard known.mustRelease || other != nil, known.acknowledged != .absent, !known.releaseFailed else {
            return .register(registration)
        }
        return .unregister(known.token, wallet: other ?? registration.walletAddress)
    }

    /// Corrects times that a clock set back has moved out of reach.
    private mutating func limitTimes(now: Int64) {
        state.wantedAt = min(state.wantedAt, now)
        state.pause.limit(now: now)
        for index in state.tokens.indices { state.tokens[index].limitTimes(now: now) }
    }

    // MARK: A change on its way

    /// Begins to prepare a change that is next; none other is, until it is finished.
    mutating func begin(_ change: RegistrationChange) { current = change }

    /// Notes that the change is sent now; false if by now another is next.
    ///
    /// The state must be stored before the service can see the change. `nonce` is that of the signature.
    mutating func send(now: Int64, nonce: NonceLife?) -> Bool {
        guard let change = current else { return false }
        current = nil
        guard next(now: now) == .send(change) else { return false }
        current = change
        insert(change.token)
        update(change.token) { $0.wasTried = true }
        switch change {
        case .register(let registration):
            update(registration.token) { $0.signer = registration.walletAddress }
            state.sending = SentChange(
                token: registration.token, content: wantedContent(of: registration.token),
                wallet: registration.walletAddress, sentAt: now, nonce: nonce)
        case .unregister(let token, _):
            state.sending = SentChange(token: token, content: .absent, wallet: nil, sentAt: now, nonce: nonce)
        }
        return true
    }

    /// Takes what came of the change, whether or not it was sent.
    mutating func finish(_ outcome: RegistrationOutcome, now: Int64, chance: Double) {
        guard let change = current else { return }
        let sent = state.sending
        current = nil
        state.sending = nil
        switch outcome {
        case .abandoned: break
        case .done:
            state.pause.end()
            if let sent { noteDone(sent) }
        case .noAnswer(let problem, let retryAfter):
            if let sent { noteUnanswered(sent) }
            pause(problem, retryAfter, change.token, now: now, chance: chance)
        case .notDone(let problem, let retryAfter):
            pause(problem, retryAfter, change.token, now: now, chance: chance)
        case .nonceRefused(let problem):
            repeatAtOnce(sent, RegistrationMachine.nonceRetries, problem, change.token, now: now, chance: chance)
        case .counterRefused(let problem):
            repeatAtOnce(sent, RegistrationMachine.counterRetries, problem, change.token, now: now, chance: chance)
        case .boundElsewhere(let problem):
            state.pause.end()
            noteBoundElsewhere(change, problem, now: now)
        case .refused(let problem):
            state.pause.end()
            noteRefusal(change, problem, now: now)
        }
        forgetSettledTokens(after: outcome == .done ? sent : nil)
    }

    private mutating func noteDone(_ sent: SentChange) {
        guard let index = index(of: sent.token) else { return }
        state.tokens[index].noteDone(sent)
        guard sent.content != .absent, state.tokens[index].startsAnew else { return }
        state.numbering += 1
        // An unregister that is still on its way would start them anew once more.
        state.tokens[index].startsAnew = state.tokens[index].unanswered.contains { $0.content == .absent }
    }

    private mutating func noteUnanswered(_ sent: SentChange) { update(sent.token) { $0.noteUnanswered(sent) } }

    /// Waits, and looks at other tokens first next time.
    private mutating func pause(
        _ problem: RegistrationProblem, _ retryAfter: Duration?, _ token: PushToken, now: Int64, chance: Double
    ) {
        state.pause.begin(because: problem, retryAfter: retryAfter, now: now, chance: chance)
        update(token) { $0.immediateRetries = 0 }
        moveToEnd(token)
    }

    private mutating func repeatAtOnce(
        _ sent: SentChange?, _ limit: Int, _ problem: RegistrationProblem, _ token: PushToken, now: Int64,
        chance: Double
    ) {
        // Some connections repeat a request by themselves: then this is the answer to the copy of one that was done.
        if let sent { update(token) { $0.noteMaybeDone(sent) } }
        guard let index = index(of: token), state.tokens[index].immediateRetries < limit else {
            pause(problem, nil, token, now: now, chance: chance)
            return
        }
        state.tokens[index].immediateRetries += 1
    }

    private mutating func noteBoundElsewhere(
        _ change: RegistrationChange, _ problem: RegistrationProblem, now: Int64
    ) {
        guard case .register = change, let index = index(of: change.token), !state.tokens[index].releaseFailed,
            state.tokens[index].releases < RegistrationMachine.maximumReleases
        else {
            noteRefusal(change, problem, now: now)
            return
        }
        state.tokens[index].acknowledged = nil
        state.tokens[index].mustRelease = true
        state.tokens[index].releases += 1
    }

    private mutating func noteRefusal(_ change: RegistrationChange, _ problem: RegistrationProblem, now: Int64) {
        let isWanted = wantedContent(of: change.token) != .absent
        switch change {
        case .register(let registration):
            // Of one that is not wanted any more the refusal says nothing.
            guard registration == state.wanted?.registration else { return }
        case .unregister(let token, _):
            update(token) {
                // The token may be free all the same: the answer to the registration shows it.
                $0.releaseFailed = isWanted
                // Another of them may be the one that the token is bound to.
                if !$0.wallets.isEmpty { $0.wallets.insert($0.wallets.removeLast(), at: 0) }
            }
            if isWanted { return }
        }
        insert(change.token)
        update(change.token) {
            $0.forgetRefusal()
            $0.refusal = .init(problem: problem, until: now + RegistrationMachine.refusalTime)
        }
        moveToEnd(change.token)
    }

    // MARK: Tokens

    func wantedContent(of token: PushToken) -> TokenContent {
        guard state.wanted?.registration?.token == token, let fingerprint else { return .absent }
        return .registered(fingerprint)
    }

    private func index(of token: PushToken) -> Int? { state.tokens.firstIndex { $0.token == token } }

    private mutating func update(_ token: PushToken, _ body: (inout KnownToken) -> Void) {
        if let index = index(of: token) { body(&state.tokens[index]) }
    }

    private mutating func moveToEnd(_ token: PushToken) {
        if let index = index(of: token) { state.tokens.append(state.tokens.remove(at: index)) }
    }

    private mutating func insert(_ token: PushToken) {
        guard index(of: token) == nil else { return }
        let wanted = state.wanted?.registration?.token
        if state.tokens.count >= RegistrationState.maximumTokens,
            let last = state.tokens.lastIndex(where: { $0.token != wanted && $0.isGone })
                ?? state.tokens.lastIndex(where: { $0.token != wanted })
        {
            state.tokens.remove(at: last)
        }
        state.tokens.insert(KnownToken(token), at: 0)
    }

    /// Forgets tokens of which the service has nothing, and is to have nothing.
    ///
    /// An unregister that may still arrive is kept until one that was `done` shows that it cannot any more: it would undo
    /// another registration of the token.
    private mutating func forgetSettledTokens(after done: SentChange? = nil) {
        let wanted = state.wanted?.registration?.token
        let sending = state.sending?.token
        state.tokens.removeAll { known in
            known.token != wanted && known.token != sending && known.isGone
                && known.unanswered.allSatisfy { late in
                    late.content == .absent && done.map { late.timeLeft(at: $0) <= 0 } ?? false
                }
        }
    }
}
