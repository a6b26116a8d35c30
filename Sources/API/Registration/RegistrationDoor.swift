import HTTPTypes
import Hummingbird
import Kaspa
import Logging
import Metrics
import Push
import Store

/// One call about registrations on its way in.
final class RegistrationCall {
    /// For metrics and logs.
    let name: String
    let method: String
    let path: String
    let body: RegistrationRequest
    let logger: Logger
    /// Counts a device that is not registered yet against its limits: 429 or 503.
    let admitNewDevice: () throws -> Void
    /// Whether its signatures hold: then it counts against its wallet, else against the client's address.
    fileprivate(set) var isProven = false

    init(
        name: String, method: String, path: String, body: RegistrationRequest, logger: Logger,
        admitNewDevice: @escaping () throws -> Void
    ) {
        self.name = name
        self.method = method
        self.path = path
        self.body = body
        self.logger = logger
        self.admitNewDevice = admitNewDevice
    }

    /// What a call signs that has no lists.
    func content(token: [UInt8]?) -> SignedContent {
        SignedContent(method: method, path: path, token: token)
    }
}

/// What all calls about registrations have in common: the rate limit, the body, the signatures, the errors, the count.
struct RegistrationDoor: Sendable {
    /// When a client is to try again after the disk has failed or is full.
    static let pauseSeconds = 60
    /// The same while there are as many devices as there may be.
    static let fullPauseSeconds = 3_600

    let configuration: APIConfiguration
    let allowance: RegistrationAllowance
    let authenticator: Authenticator
    let unsigned: UnsignedRequests

    /// Lets a call in and turns what comes of it into an answer.
    func answer(
        _ name: String, _ request: Request, _ context: APIRequestContext,
        _ body: (RegistrationCall) async throws -> JSONAnswer
    ) async throws -> Response {
        do {
            try allowance.admitAttempt(request, context)
            let answer = try await answerCounted(name, request, context, body)
            count(name, "ok")
            return JSONAnswer.response(.ok, answer)
        } catch let error as APIError {
            count(name, "\(error.status.code)")
            throw error
        } catch let refusal as RegistrationRefusal {
            let answer = APIError(refusal)
            count(name, "\(answer.status.code)")
            throw answer
        } catch let error as StoreError {
            let answer = APIError(error, context.logger)
            count(name, "\(answer.status.code)")
            throw answer
        }
    }

    /// Answers a call, and counts it against the client's address unless its signatures hold.
    private func answerCounted(
        _ name: String, _ request: Request, _ context: APIRequestContext,
        _ body: (RegistrationCall) async throws -> JSONAnswer
    ) async throws -> JSONAnswer {
        var call: RegistrationCall?
        var isCounted = false
        do {
            let members = try await RequestBody.object(
                of: request, atMost: APILimits.registrationBodyBytes, needsContentType: true)
            let read = RegistrationCall(
                name: name, method: request.method.rawValue, path: request.uri.path,
                body: RegistrationRequest(members: members, network: configuration.network), logger: context.logger,
                admitNewDevice: { try allowance.admitNewDevice(request, context) })
            call = read
            if !read.body.isSigned {
                isCounted = true
                try allowance.admitUnproven(request, context)
            }
            return try await body(read)
        } catch let error as APIError {
            if call?.isProven != true, !isCounted { try allowance.admitUnproven(request, context) }
            throw error
        }
    }

    /// What the call's signatures prove; nil for an unsigned change, which `strict` refuses.
    func proof(
        of call: RegistrationCall, token: [UInt8], content: SignedContent, auth: AuthObject?,
        mustOwnPrimaryAddress: Bool = false
    ) throws -> WalletProof? {
        guard let auth else {
            try admitUnsigned(call, token: token)
            return nil
        }
        return try prove(call, token: token, content, auth, mustOwnPrimaryAddress: mustOwnPrimaryAddress)
    }

    /// The same for an unregister, for which a device key may stand in.
    func removalProof(of call: RegistrationCall, token: [UInt8], auth: AuthObject?) throws -> RemovalProof? {
        guard let auth else {
            try admitUnsigned(call, token: token)
            return nil
        }
        let proof = try authenticator.proveRemoval(auth, of: call.content(token: token))
        call.isProven = true
        // Who has only a device key is as good as a wallet of its own here.
        try allowance.admit(proof.wallet?.payload ?? proof.deviceKey?.keyID ?? [], token: token)
        return proof
    }

    /// What the signatures of a call prove that must be signed and changes no registration: its nonce is used up at once.
    func proveOnce(
        _ call: RegistrationCall, token: [UInt8]?, _ content: SignedContent, _ auth: AuthObject
    ) async throws -> WalletProof {
        var proof = try prove(call, token: token, content, auth)
        guard let nonce = proof.nonce else { return proof }
        do {
            try await authenticator.nonces.use(nonce)
        } catch let refusal as Nonces.Refusal {
            throw APIError.unauthorized(refusal.sentence, .freshNonceNeeded)
        }
        proof.nonce = nil
        return proof
    }

    /// What the signatures of a call prove that must be signed; the change that it asks for uses its nonce up.
    func prove(
        _ call: RegistrationCall, token: [UInt8]?, _ content: SignedContent, _ auth: AuthObject,
        mustOwnPrimaryAddress: Bool = false
    ) throws -> WalletProof {
        let proof = try authenticator.prove(auth, of: content, mustOwnPrimaryAddress: mustOwnPrimaryAddress)
        call.isProven = true
        try allowance.admit(proof.wallet.payload, token: token)
        return proof
    }

    private func admitUnsigned(_ call: RegistrationCall, token: [UInt8]) throws {
        guard configuration.authenticationMode != .strict else { throw APIError.unauthorized("auth is required") }
        if configuration.authenticationMode == .mixed {
            unsigned.note(call.name, token: token, logger: call.logger)
        }
    }

    private func count(_ call: String, _ result: String) {
        Counter(label: "kasia_registrations_total", dimensions: [("call", call), ("result", result)]).increment()
    }
}

extension APIError {
    /// What is answered when the store refuses or fails; the log is told why.
    init(_ error: StoreError, _ logger: Logger) {
        if error.isOfTheDisk {
            // The log names the cause once, where the chain is followed.
            logger.debug("api.registration.store_refused", metadata: ["error.message": "\(error.message)"])
            self.init(
                status: .serviceUnavailable,
                message: "the service cannot store registrations at the moment: try again later",
                headers: [.retryAfter: "\(RegistrationDoor.pauseSeconds)"])
        } else {
            logger.error("api.registration.store_failed", metadata: ["error.message": "\(error.message)"])
            self.init(status: .internalServerError, message: "the registration could not be stored: try again")
        }
    }
}

extension APIError {
    fileprivate init(_ refusal: RegistrationRefusal) {
        guard refusal == .full else {
            self = .unauthorized(refusal.sentence, refusal.code)
            return
        }
        self.init(
            status: .serviceUnavailable, message: refusal.sentence,
            headers: [.retryAfter: "\(RegistrationDoor.fullPauseSeconds)"], code: refusal.code)
    }
}

extension RegistrationRefusal {
    /// For the client.
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
