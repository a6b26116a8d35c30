import Carriers
import HTTP2Client
import Logging
import Synchronization
import Troubles

/// How a message is sent, as often as it takes.
extension FCMCarrier {
    /// Sends a message; one that is answered under the access token at hand needs no task.
    func deliver(_ body: [UInt8], _ ended: @escaping Ended) {
        guard let attempt = attemptAtHand else {
            return wait(ended) { [self] in await outcome(of: body) }
        }
        transport.send(attempt.request(body), attempt.shared) { [self] ending in
            if case .answered(let answer, _) = ending, FCMAnswer(answer).refusesAccessToken {
                return wait(ended) { [self] in await outcome(of: body, after: attempt, refusedBy: answer) }
            }
            ended(judge(ending, of: attempt))
        }
    }

    /// Sends a message, and once more if its access token is refused.
    func outcome(of body: [UInt8]) async -> SendOutcome {
        do {
            let attempt = try await nextAttempt()
            let ending = await transport.send(attempt.request(body), with: attempt.shared)
            if case .answered(let answer, _) = ending, FCMAnswer(answer).refusesAccessToken {
                return await outcome(of: body, after: attempt, refusedBy: answer)
            }
            return judge(ending, of: attempt)
        } catch {
            return SendOutcome(error)
        }
    }

    /// Sends a message with another access token than the one that was refused; with none to be had, that stands.
    private func outcome(
        of body: [UInt8], after refused: Attempt, refusedBy answer: HTTPAnswer
    ) async -> SendOutcome {
        do {
            guard let attempt = try await successor(to: refused) else {
                return SendOutcome(FCMAnswer(answer), project: refused.project)
            }
            return judge(await transport.send(attempt.request(body), with: attempt.shared), of: attempt)
        } catch {
            return SendOutcome(error)
        }
    }

    private func judge(_ ending: OriginSender.Ending, of attempt: Attempt) -> SendOutcome {
        switch ending {
        case .answered(let answer, let isComplete):
            let answer = FCMAnswer(answer)
            if answer.reason == .thirdPartyAuthError { alarm(about: answer, of: attempt) }
            return SendOutcome(answer, isComplete: isComplete, project: attempt.project)
        case .failed(let failure): return .transport(failure)
        case .abandoned: return .handedBack("abandoned")
        case .stopped: return .handedBack("shutting_down")
        }
    }

    /// Google has no credentials for the device's own service: it is not an Android device.
    private func alarm(about answer: FCMAnswer, of attempt: Attempt) {
        guard let summary = thirdPartyTrouble.met(answer.text) else { return }
        logger.error(
            "FCM has no credentials for a device of another platform",
            metadata: ["fcm.project": "\(attempt.project)", "error.message": "\(answer.text)"].adding(summary))
    }

    /// Has ``run()`` wait for an outcome.
    private func wait(_ ended: @escaping Ended, for outcome: @escaping @Sendable () async -> SendOutcome) {
        let isTaken = waits.add { ended(await outcome()) }
        if !isTaken { ended(.handedBack("shutting_down")) }
    }
}
