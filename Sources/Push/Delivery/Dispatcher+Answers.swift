import APNs
import Clocks
import Kaspa
import Logging
import Policy
import Store
import Troubles

/// Handles answers. Nothing is written here.
extension Dispatcher {
    /// Takes the answers that have come.
    ///
    /// Their devices are idle from then on.
    func takeAnswers() {
        for answer in answers.take() {
            instruments.sent(seconds: answer.time / .seconds(1))
            take(answer)
        }
    }

    private func take(_ answer: AnswerQueue.Answer) {
        let (key, delivery) = (answer.key, answer.delivery)
        let now = clock.now()
        let disposition = Disposition(
            answer.outcome, omitsPayload: delivery.omitsPayload, attempts: delivery.attempts,
            isFromElsewhere: answer.isFromElsewhere, present: clock.present())
        update(disposition.sending, disposition, now: now)
        guard disposition.delivery != .unchanged else { return giveBack(deliveries.leave(key, isDue: true)) }
        // The guard counts only tokens that once worked.
        if disposition.isAnswer, !answer.isOnProbation { updateGuard(disposition.device) }
        if disposition.delivery == .dead(isOurMistake: true) {
            logger.error(
                "push.delivery.dead",
                metadata: [
                    "reason": "\(disposition.answer)", "transaction": "\(delivery.transactionID)",
                    "device": "\(delivery.device)",
                ])
        }
        deliveries.answer(
            FinishedAttempt(
                key, delivery, disposition, next: disposition.next(for: delivery, now: now, random: clock.random),
                effect: disposition.device.effect(
                    strikes: configuration.invalidTokenStrikes, mayRemove: tokenGuard.mayRemove)))
    }

    private func updateGuard(_ finding: Disposition.DeviceFinding) {
        tokenGuard.record(finding.guardAnswer)
        let isGuarding = finding == .invalidToken ? !tokenGuard.mayRemove : isGuardingTokens
        if isGuarding, !isGuardingTokens {
            logger.error("push.invalid_tokens.guarded", metadata: ["window": "\(InvalidTokenGuard.window)"])
        }
        isGuardingTokens = isGuarding
    }

    private func update(_ sending: Disposition.SendingDecision, _ disposition: Disposition, now: UInt64) {
        let time = Duration.milliseconds(Int64(clamping: now))
        switch sending {
        case .nothing: break
        case .handedBack: pause.handedBack(now: now)
        case .credentialsAccepted:
            guard pause.credentialsAccepted(now: now) else { return }
            logger.notice("push.sending.resumed", metadata: pauseTrouble.over(now: time) ?? [:])
        case .pause(let reason):
            let previous = pause
            pause.begin(reason, now: now)
            // Answers that were in flight together begin one pause.
            guard pause != previous, let summary = pauseTrouble.met(reason.sentence, now: time) else { return }
            var metadata: Logger.Metadata = ["reason": "\(disposition.answer)", "pause_ms": "\(pause.length)"]
            if case .noProviderToken(let cause) = reason { metadata["error.message"] = "\(cause)" }
            logger.error("push.sending.paused", metadata: metadata.adding(summary))
        }
    }

    /// Counts an attempt once it is settled.
    ///
    /// A delivery that was removed with its device was counted then, and is not counted again.
    func count(_ attempt: FinishedAttempt, _ result: SettlementResult) {
        guard result.found else { return }
        if let (outcome, reason) = attempt.disposition.metric { instruments.pushes.delivery(outcome, reason: reason) }
        if let deliveries = result.removedWith, let removal = attempt.disposition.device.removal {
            instruments.deviceRemoved(removal)
            instruments.suppressed(.deviceRemoved, count: deliveries)
            logger.info(
                "push.device.removed",
                metadata: ["device": "\(attempt.settlement.key.device)", "reason": "\(removal.rawValue)"])
        }
    }
}
