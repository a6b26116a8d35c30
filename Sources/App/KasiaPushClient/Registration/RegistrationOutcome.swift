/// What came of a change, as far as the next step depends on it.
enum RegistrationOutcome: Hashable, Sendable {
    /// The service has answered 200.
    case done
    /// Nobody knows whether the service has done it.
    case noAnswer(RegistrationProblem, retryAfter: Duration?)
    /// The service has not done it, and may do it later.
    case notDone(RegistrationProblem, retryAfter: Duration?)
    /// Another nonce may do.
    case nonceRefused(RegistrationProblem)
    /// A greater counter may do.
    case counterRefused(RegistrationProblem)
    case boundElsewhere(RegistrationProblem)
    /// The service will not do it.
    case refused(RegistrationProblem)
    /// It was not sent, as something else is wanted by now.
    case abandoned

    /// What an error of a call means.
    init(_ error: IndexerError) {
        guard error.kind == .refused, let status = error.status else {
            self = .noAnswer(RegistrationProblem(.unavailable, error), retryAfter: error.retryAfter)
            return
        }
        let unavailable = RegistrationProblem(.unavailable, error)
        switch status {
        case 401: self = .init(unauthorized: error)
        case 408, 429: self = .notDone(unavailable, retryAfter: error.retryAfter)
        case 400, 413: self = .refused(RegistrationProblem(.refused, error))
        // The service gives every refusal a code. Without one it is a proxy that speaks.
        case 400..<500 where error.code != nil: self = .refused(RegistrationProblem(.refused, error))
        default: self = .noAnswer(unavailable, retryAfter: error.retryAfter)
        }
    }

    /// A 401; servers without codes are known by their sentences.
    private init(unauthorized error: IndexerError) {
        let unavailable = RegistrationProblem(.unavailable, error)
        switch error.code {
        case .freshNonceNeeded, .wrongTime: self = .nonceRefused(unavailable)
        case .staleCounter: self = .counterRefused(unavailable)
        case .boundElsewhere: self = .boundElsewhere(RegistrationProblem(.boundElsewhere, error))
        case nil where error.message.contains("another wallet"):
            self = .boundElsewhere(RegistrationProblem(.boundElsewhere, error))
        case nil where error.message.contains("nonce"): self = .nonceRefused(unavailable)
        case nil where error.message.contains("counter"): self = .counterRefused(unavailable)
        default: self = .refused(RegistrationProblem(.refused, error))
        }
    }
}
