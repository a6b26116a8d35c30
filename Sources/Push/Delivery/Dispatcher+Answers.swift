import Carriers
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
            instruments.sent(seconds: answer.time / .seconds(1), by: answer.key.carrier)
            take(answer)
        }
    }

    private func take(_ answer: AnswerQueue.Answer) {
        let (key, delivery) = (answer.key, answer.delivery)
        let now = clock.now()
        let disposition = Disposition(
            answer.outcome, omitsPayload: delivery.omitsPayload, attempts: delivery.attempts,
            isFromElsewhere: answer.isFromElsewhere, sentAt: answer.sentAt, present: clock.present())
        update(disposition.sending, of: key.carrier, disposition, now: now)
        guard disposition.delivery != .unchanged else { return giveBack(deliveries.leave(key, isDue: true)) }
        // The guard counts only tokens that once worked.
        if disposition.isAnswer, !answer.isOnProbation {
            updateGuard(disposition.device, of: key.carrier)
        }
        if disposition.delivery == .dead(isOurMistake: true) {
            logger.error(
                "push.delivery.dead",
                metadata: [
                    "reason": "\(disposition.answer)", "transaction": "\(delivery.transactionID)",
                    "device": "\(delivery.device)", "carrier": "\(key.carrier.label)",
                ])
        }
        deliveries.answer(
            FinishedAttempt(
                key, delivery, disposition, next: disposition.next(for: delivery, now: now, random: clock.random),
                effect: disposition.device.effect(
                    strikes: configuration.invalidTokenStrikes, mayRemove: lines[key.carrier].tokenGuard.mayRemove)))
    }

    private func updateGuard(_ finding: Disposition.DeviceFinding, of carrier: CarrierName) {
        guard lines[carrier].guardsTokens(after: finding) else { return }
        logger.error(
            "push.invalid_tokens.guarded",
            metadata: ["window": "\(InvalidTokenGuard.window)", "carrier": "\(carrier.label)"])
    }

    private func update(
        _ sending: Disposition.SendingDecision, of carrier: CarrierName, _ disposition: Disposition, now: UInt64
    ) {
        let time = Duration.milliseconds(Int64(clamping: now))
        switch sending {
        case .nothing: break
        case .handedBack: lines[carrier].pause.handedBack(now: now)
        case .credentialsAccepted:
            guard lines[carrier].pause.credentialsAccepted(now: now) else { return }
            var metadata = lines[carrier].pauseTrouble.over(now: time) ?? [:]
            metadata["carrier"] = "\(carrier.label)"
            logger.notice("push.sending.resumed", metadata: metadata)
        case .pause(let reason, let least):
            let previous = lines[carrier].pause
            lines[carrier].pause.begin(reason, atLeast: least, now: now, random: clock.random())
            let pause = lines[carrier].pause
            // Answers that were in flight together begin one pause.
            guard pause != previous, let summary = lines[carrier].pauseTrouble.met(reason.sentence, now: time)
            else { return }
            let metadata: Logger.Metadata = [
                "reason": "\(disposition.answer)", "pause_ms": "\(pause.length)", "carrier": "\(carrier.label)",
                "error.message": "\(reason.sentence)",
            ]
            logger.error("push.sending.paused", metadata: metadata.adding(summary))
        }
    }

    /// Counts an attempt once it is settled.
    ///
    /// A delivery that was removed with its device was counted then, and is not counted again.
    func count(_ attempt: FinishedAttempt, _ result: SettlementResult) {
        guard result.found else { return }
        let carrier = attempt.settlement.key.carrier
        if let (outcome, reason) = attempt.disposition.metric {
            instruments.pushes.delivery(outcome, reason: reason, carrier: carrier)
        }
        if let deliveries = result.removedWith, let removal = attempt.disposition.device.removal {
            instruments.deviceRemoved(removal)
            instruments.suppressed(.deviceRemoved, count: deliveries, carrier: carrier)
            logger.info(
                "push.device.removed",
                metadata: ["device": "\(attempt.settlement.key.device)", "reason": "\(removal.rawValue)"])
        }
    }
}
