import HTTPTypes
import Hummingbird
import Kaspa
import Metrics
import Push
import Store

/// Authorizes registration calls: rate limits, body and signatures.
///
/// It also counts calls and answers errors.
struct RegistrationAuthorizer: Sendable {
    /// `Retry-After` when the disk has failed or is full, seconds.
    static let pauseSeconds = 60
    /// `Retry-After` when the limit of devices is reached, seconds.
    static let fullPauseSeconds = 3_600

    let configuration: APIConfiguration
    let rateLimits: RegistrationRateLimits
    let authenticator: Authenticator
    let unsigned: UnsignedRequests

    /// Runs a call if it is within the rate limits, and answers with its result or error.
    func answer(
        _ name: String, _ request: Request, _ context: APIRequestContext,
        _ body: (RegistrationCall) async throws -> JSONAnswer
    ) async throws -> Response {
        do {
            try rateLimits.admitAttempt(request, context)
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

    /// Answers a call, and counts it against the client's address unless its signatures are valid.
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
                admitNewDevice: { try rateLimits.admitNewDevice(request, context) })
            call = read
            if !read.body.isSigned {
                isCounted = true
                try rateLimits.admitUnproven(request, context)
            }
            return try await body(read)
        } catch let error as APIError {
            if call?.isProven != true, !isCounted { try rateLimits.admitUnproven(request, context) }
            throw error
        }
    }

    /// What the call's signatures prove; nil for an unsigned change, which `strict` refuses.
    func proof(
        of call: RegistrationCall, token: DeviceToken, content: SignedContent, auth: AuthObject?,
        mustOwnPrimaryAddress: Bool = false
    ) async throws -> WalletProof? {
        guard let auth else {
            try admitUnsigned(call, token: token)
            return nil
        }
        return try await prove(call, content, auth, mustOwnPrimaryAddress: mustOwnPrimaryAddress)
    }

    /// The same for an unregister, for which a device key may stand in.
    func removalProof(
        of call: RegistrationCall, token: DeviceToken, auth: AuthObject?
    ) async throws -> RemovalProof? {
        guard let auth else {
            try admitUnsigned(call, token: token)
            return nil
        }
        let proof = try await authenticator.proveRemoval(auth, of: call.content(token: token))
        call.isProven = true
        // For the rate limit, a device key counts like a wallet.
        try rateLimits.admit(proof.wallet?.payload ?? proof.deviceKey?.keyID ?? [], token: token.bytes)
        return proof
    }

    /// What the signatures prove of a call that must be signed and changes no registration.
    ///
    /// Its nonce is used at once.
    func proveOnce(
        _ call: RegistrationCall, _ content: SignedContent, _ auth: AuthObject
    ) async throws -> WalletProof {
        var proof = try await prove(call, content, auth)
        guard let nonce = proof.nonce else { return proof }
        do {
            try await authenticator.nonces.use(nonce)
        } catch let refusal as Nonces.Refusal {
            throw APIError.unauthorized(refusal.sentence, .freshNonceNeeded)
        }
        proof.nonce = nil
        return proof
    }

    /// What the signatures prove of a call that must be signed.
    ///
    /// The change itself uses the nonce.
    func prove(
        _ call: RegistrationCall, _ content: SignedContent, _ auth: AuthObject,
        mustOwnPrimaryAddress: Bool = false
    ) async throws -> WalletProof {
        let proof = try await authenticator.prove(auth, of: content, mustOwnPrimaryAddress: mustOwnPrimaryAddress)
        call.isProven = true
        try rateLimits.admit(proof.wallet.payload, token: content.token?.bytes)
        return proof
    }

    private func admitUnsigned(_ call: RegistrationCall, token: DeviceToken) throws {
        guard configuration.authenticationMode != .strict else { throw APIError.unauthorized("auth is required") }
        if configuration.authenticationMode == .mixed {
            unsigned.note(call.name, token: token.bytes, logger: call.logger)
        }
    }

    private func count(_ call: String, _ result: String) {
        Counter(label: "kasia_registrations_total", dimensions: [("call", call), ("result", result)]).increment()
    }
}
