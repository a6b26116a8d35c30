import APNs
import Clocks
import Kaspa
import Logging
import Store
import Troubles

extension PushNotificationActor {
    /// Decides what an answer means for the delivery, the device, the gate and the guard; nothing is written yet.
    func record(_ answer: ArrivedAnswers.Answer) {
        let (key, delivery, outcome) = (answer.key, answer.delivery, answer.outcome)
        let now = clock.now()
        if case .notSent(let reason) = outcome, !reason.isVerdict {
            // Nothing happened to the delivery: it is due as it was.
            gate.handedBack(now: now)
            giveBack(key)
            return
        }
        var disposition = Disposition(
            outcome, omitsPayload: delivery.omitsPayload, attempts: delivery.attempts, present: clock.present())
        if answer.isFromElsewhere { disposition.provesCredentials = false }
        updateGate(disposition, now: now)
        // The guard is for tokens that once worked, and hears of them alone.
        if outcome.isAnswer, !answer.isOnProbation { updateGuard(disposition) }
        finished.append(attempt(key, delivery, disposition, now: now))
    }

    private func updateGuard(_ disposition: Disposition) {
        switch disposition.effect {
        case .alive, .aliveAt: tokenGuard.record(.success)
        case .invalidToken: tokenGuard.record(.invalidToken)
        case .none, .unaccepted, .gone: tokenGuard.record(.other)
        }
        let isGuarding = disposition.effect == .invalidToken ? !tokenGuard.mayRemove : isGuardingTokens
        if isGuarding, !isGuardingTokens {
            logger.error("push.invalid_tokens.guarded", metadata: ["window": "\(InvalidTokenGuard.window)"])
        }
        isGuardingTokens = isGuarding
    }

    private func updateGate(_ disposition: Disposition, now: UInt64) {
        if let closure = disposition.gate {
            let previous = gate
            gate.close(closure, now: now)
            // Answers that were in flight together close it once.
            guard gate != previous,
                let summary = gateTrouble.met(closure.sentence, now: .milliseconds(Int64(clamping: now)))
            else { return }
            var metadata: Logger.Metadata = ["reason": "\(disposition.answer)", "pause_ms": "\(gate.pause)"]
            if case .noProviderToken(let cause) = closure { metadata["error.message"] = "\(cause)" }
            logger.error("push.sending.paused", metadata: metadata.adding(summary))
        } else if disposition.provesCredentials, gate.credentialsAccepted(now: now) {
            let summary = gateTrouble.over(now: .milliseconds(Int64(clamping: now))) ?? [:]
            logger.notice("push.sending.resumed", metadata: summary)
        }
    }

    private func attempt(
        _ key: ScheduleKey, _ delivery: Delivery, _ disposition: Disposition, now: UInt64
    ) -> FinishedAttempt {
        switch disposition.verdict {
        case .delivered:
            return FinishedAttempt(key, delivery, .delivered, effect: deviceEffect(of: disposition.effect))
        case .dead(let isOurMistake):
            if isOurMistake {
                logger.error(
                    "push.delivery.dead",
                    metadata: [
                        "reason": "\(disposition.answer)", "transaction": "\(delivery.transactionID)",
                        "device": "\(delivery.device)",
                    ])
            }
            let effect = deviceEffect(of: disposition.effect)
            return FinishedAttempt(
                key, delivery, .dead(reason: disposition.reason), answer: disposition.answer, effect: effect,
                removal: removal(disposition.effect))
        case .retryWithoutPayload:
            return FinishedAttempt(
                key, delivery, .retried(reason: disposition.reason), answer: disposition.answer,
                fate: .again(due: now, omitsPayload: true))
        case .retry(let notBefore):
            let backoff = Backoff.delay(attempts: delivery.attempts, random: clock.random())
            // The gate says when sending goes on; the delivery itself is due.
            let pause = disposition.gate == nil ? min(max(backoff, notBefore), ScheduleScanner.longestDelay) : 0
            return FinishedAttempt(
                key, delivery, .retried(reason: disposition.reason), answer: disposition.answer,
                fate: .again(due: min(now.later(by: pause), delivery.expiresAt), omitsPayload: false),
                effect: deviceEffect(of: disposition.effect), removal: removal(disposition.effect))
        }
    }

    /// Why a device goes that an answer removes.
    private func removal(_ answer: Disposition.DeviceAnswer) -> PushInstruments.RemovalReason {
        switch answer {
        case .invalidToken: .invalidToken
        case .unaccepted: .neverAccepted
        case .none, .alive, .aliveAt, .gone: .gone
        }
    }

    private func deviceEffect(of answer: Disposition.DeviceAnswer) -> Settlement.DeviceEffect {
        switch answer {
        case .none: return .none
        case .alive: return .alive
        case .aliveAt(let host): return .aliveAt(DeviceRecord.Environment(host))
        case .gone(let time): return .gone(at: time)
        case .unaccepted: return .unaccepted
        case .invalidToken:
            return .strike(limit: configuration.invalidTokenStrikes, mayRemove: tokenGuard.mayRemove)
        }
    }

    /// Counts an attempt once its fate is written.
    ///
    /// A delivery that had gone with its device meanwhile was counted then, and is in no other state now.
    func count(_ attempt: FinishedAttempt, _ result: SettlementResult) {
        guard result.found else { return }
        switch attempt.result {
        case .delivered: instruments.delivery(.delivered, reason: "none")
        case .dead(let reason): instruments.delivery(.dead, reason: reason)
        case .retried(let reason): instruments.delivery(.retried, reason: reason)
        case .expired: instruments.delivery(.expired, reason: "none")
        case .suppressed(let reason): instruments.suppressed(reason, count: 1)
        }
        if let deliveries = result.removedWith, let removal = attempt.removal {
            instruments.deviceRemoved(removal)
            instruments.suppressed(.deviceRemoved, count: deliveries)
            logger.info(
                "push.device.removed",
                metadata: ["device": "\(attempt.settlement.key.device)", "reason": "\(removal.rawValue)"])
        }
    }
}

extension SendOutcome {
    /// Whether Apple said something about the token: silence is neither for it nor against it, nor is a refusal of our
    /// credentials by a host that anybody can name for a device.
    fileprivate var isAnswer: Bool {
        switch self {
        case .transport, .notSent, .otherHostRefused: false
        default: true
        }
    }
}

extension NotSentReason {
    /// Whether the notification itself is at fault, or the credentials: then something has to happen to it.
    fileprivate var isVerdict: Bool {
        switch self {
        case .cancelled, .shuttingDown, .abandoned: false
        case .noProviderToken, .invalidRequest: true
        }
    }
}
