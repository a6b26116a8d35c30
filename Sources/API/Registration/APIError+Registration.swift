import HTTPTypes
import Logging
import Push
import Store

extension APIError {
    /// The answer when the store refuses or fails.
    ///
    /// The reason goes to the log.
    init(_ error: StoreError, _ logger: Logger) {
        if error.isOfTheDisk || error.code == .unavailable {
            // The indexer logs the cause, once.
            logger.debug("api.registration.store_refused", metadata: ["error.message": "\(error.message)"])
            self.init(
                status: .serviceUnavailable,
                message: "the service cannot store registrations at the moment: try again later",
                headers: [.retryAfter: "\(RegistrationAuthorizer.pauseSeconds)"])
        } else {
            logger.error("api.registration.store_failed", metadata: ["error.message": "\(error.message)"])
            self.init(status: .internalServerError, message: "the registration could not be stored: try again")
        }
    }
}

extension APIError {
    init(_ refusal: RegistrationRefusal) {
        guard refusal == .full else {
            self = .unauthorized(refusal.sentence, refusal.code)
            return
        }
        self.init(
            status: .serviceUnavailable, message: refusal.sentence,
            headers: [.retryAfter: "\(RegistrationAuthorizer.fullPauseSeconds)"], code: refusal.code)
    }
}

extension RegistrationRefusal {
    /// The refusal in a sentence for the client.
    fileprivate var sentence: String {
        switch self {
        case .usedNonce: Nonces.Refusal.used.sentence
        case .unsigned: "auth is required for a wallet-bound device token"
        case .boundToAnother: "device token is bound to another wallet"
        case .unproven: "auth.signature is not valid, and auth.device_auth is not by this device's key"
        case .unbound: "device token is bound to no wallet: register it with auth"
        case .heldForAnother:
            "device token was bound to another wallet: for seven days only that wallet may bind it again"
        case .full: "the service has as many devices as it can take: try again later"
        case .staleCounter: "auth.device_auth.counter must be greater than at its last use"
        }
    }

    fileprivate var code: ErrorCode {
        switch self {
        case .usedNonce: .freshNonceNeeded
        case .unsigned: .authRequired
        case .boundToAnother, .unbound, .heldForAnother: .boundElsewhere
        case .unproven: .wrongSignature
        case .full: .full
        case .staleCounter: .staleCounter
        }
    }
}
