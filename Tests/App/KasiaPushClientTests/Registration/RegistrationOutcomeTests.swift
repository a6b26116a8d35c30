import KasiaPushCore
import Testing

@testable import KasiaPushClient

/// What an error means for the next step.
@Suite struct RegistrationOutcomeTests {
    enum Step { case noAnswer, notDone, nonceRefused, counterRefused, boundElsewhere, refused }

    @Test(arguments: [
        (400, IndexerErrorCode.invalidRequest, Step.refused), (400, .carrierNotConfigured, .refused),
        (401, .authRequired, .refused), (401, .wrongSignature, .refused), (401, .freshNonceNeeded, .nonceRefused),
        (401, .wrongTime, .nonceRefused), (401, .staleCounter, .counterRefused),
        (401, .boundElsewhere, .boundElsewhere), (403, .otherOrigin, .refused), (404, .notFound, .refused),
        (405, .methodNotAllowed, .refused), (408, .tooSlow, .notDone), (413, .tooLarge, .refused),
        (415, .wrongContentType, .refused), (421, .wrongHost, .refused), (429, .tooManyRequests, .notDone),
        (500, .internalError, .noAnswer), (502, .unavailable, .noAnswer), (503, .full, .noAnswer),
        (503, .unavailable, .noAnswer), (401, IndexerErrorCode(rawValue: "new"), .refused),
    ])
    func ofACode(_ status: Int, _ code: IndexerErrorCode, _ step: Step) {
        expect(.refusal(status, code, "a sentence"), step)
    }

    @Test(arguments: [
        (400, "nothing to watch", Step.refused), (401, "device token is bound to another wallet", .boundElsewhere),
        (401, "auth.nonce is unknown or was used", .nonceRefused),
        (401, "auth.device_auth.counter must be greater than at its last use", .counterRefused),
        (401, "auth.signature is not valid", .refused), (404, "no such page", .noAnswer), (403, "", .noAnswer),
        (413, "", .refused), (429, "", .notDone), (500, "", .noAnswer), (302, "", .noAnswer),
    ])
    func ofAServerOrAProxyWithoutCodes(_ status: Int, _ sentence: String, _ step: Step) {
        expect(IndexerError(.refused, message: sentence, status: status), step)
    }

    @Test(arguments: [IndexerError.Kind.unreachable, .timedOut, .unexpectedAnswer, .cancelled])
    func ofNoAnswer(_ kind: IndexerError.Kind) {
        expect(IndexerError(kind, message: "a sentence", status: nil), .noAnswer)
    }

    @Test func thePauseOfTheServiceIsKept() {
        let error = IndexerError.refusal(503, .full, "full", retryAfter: .seconds(3_600))
        let problem = RegistrationProblem(.unavailable, "full", status: 503, code: .full)
        #expect(RegistrationOutcome(error) == .noAnswer(problem, retryAfter: .seconds(3_600)))
    }

    @Test func whatKeepsAChangeFromBeingPrepared() {
        let missing = RegistrationProblem(.walletKeyMissing, "gone")
        #expect(RegistrationOutcome(preparing: missing) == .refused(missing))
        expect(RegistrationOutcome(preparing: RequestSignerError.wrongWalletAddress), .refused)
        expect(RegistrationOutcome(preparing: IndexerError.unreachable), .noAnswer)
        expect(RegistrationOutcome(preparing: SimulatedWorld.Failure.locked), .notDone)
    }

    private func expect(_ error: IndexerError, _ step: Step) { expect(RegistrationOutcome(error), step) }

    private func expect(_ outcome: RegistrationOutcome, _ step: Step) {
        let found: Step? =
            switch outcome {
            case .noAnswer: .noAnswer
            case .notDone: .notDone
            case .nonceRefused: .nonceRefused
            case .counterRefused: .counterRefused
            case .boundElsewhere: .boundElsewhere
            case .refused: .refused
            case .done, .abandoned: nil
            }
        #expect(found == step)
    }
}
