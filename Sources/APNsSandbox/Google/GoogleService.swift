import FoundationEssentials
import Synchronization

/// Google's side of the sandbox: the token endpoint and FCM's HTTP v1 interface.
final class GoogleService: Sendable {
    static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    private let standIn: GoogleStandIn
    private let verifier: AssertionVerifier
    private let tokens = AccessTokens()
    private let lastMessage = Atomic<Int>(0)

    init(_ standIn: GoogleStandIn) throws(SandboxError) {
        self.standIn = standIn
        verifier = try AssertionVerifier(standIn)
    }

    // MARK: The token endpoint

    /// The answer to a faulty request for an access token; nil if it has no fault.
    func tokenFault(of request: IncomingRequest, origins: Set<String>, at now: Date) -> SandboxAnswer? {
        guard request.method == "POST" else {
            return SandboxAnswer(status: 405, reason: "invalid_request", body: Self.onlyPOST.json)
        }
        do throws(TokenEndpointError) {
            try checkTokenRequest(request, origins: origins, at: now)
            return nil
        } catch {
            return error.answer
        }
    }

    private static let onlyPOST = TokenEndpointError.invalidRequest("The token endpoint takes POST only.")

    private func checkTokenRequest(
        _ request: IncomingRequest, origins: Set<String>, at now: Date
    ) throws(TokenEndpointError) {
        guard request.mediaType == "application/x-www-form-urlencoded" else {
            throw .invalidRequest("The content-type must be application/x-www-form-urlencoded.")
        }
        guard !request.bodyIsTooLarge, let form = FormFields(request.body) else {
            throw .invalidRequest("The body is not a form.")
        }
        guard form["grant_type"] == Self.grantType else {
            throw TokenEndpointError(
                code: "unsupported_grant_type", description: "The grant_type must be \(Self.grantType).")
        }
        guard let assertion = form["assertion"], !assertion.isEmpty else {
            throw .invalidRequest("The form needs one field assertion.")
        }
        let tokenURIs = Set(origins.map { $0 + CarrierRoutes.tokenPath })
        if let fault = verifier.fault(of: assertion, tokenURIs: tokenURIs, at: now) { throw fault }
    }

    /// Gives out an access token; returns the body of the answer.
    func makeTokenAnswer(at now: Date) -> String {
        let seconds = standIn.tokenLifetimeSeconds
        let token = tokens.issue(until: now.addingTimeInterval(Double(seconds)))
        return "{\"access_token\":\(JSONText.quoted(token)),\"expires_in\":\(seconds),\"token_type\":\"Bearer\"}"
    }

    // MARK: Messages

    /// Reads a message for FCM, with its fault if it has one.
    func readMessage(_ request: IncomingRequest, _ reading: inout RequestReading, at now: Date) {
        // The log names the device even if the request is refused for another fault.
        let message: Result<FCMMessage, GoogleError>
        do throws(GoogleError) {
            message = .success(try FCMMessage(request))
        } catch {
            message = .failure(error)
        }
        if case .success(let message) = message { message.fill(&reading.entry) }
        do throws(GoogleError) {
            try checkPlace(request)
            try checkAuthorization(request, at: now)
            let message = try message.get()
            reading.delivers = !message.isDryRun
            reading.entry.id = "projects/\(standIn.projectID)/messages/\(messageName(message))"
        } catch {
            reading.refusal = error.answer
        }
    }

    private func messageName(_ message: FCMMessage) -> String {
        // Google gives a dry run this name.
        if message.isDryRun { return "fake_message_id" }
        return "\(lastMessage.add(1, ordering: .relaxed).newValue)"
    }

    private func checkPlace(_ request: IncomingRequest) throws(GoogleError) {
        let path = request.path.prefix { $0 != "?" }
        let parts = path.dropFirst(CarrierRoutes.projectsPrefix.count)
            .split(separator: "/", omittingEmptySubsequences: false)
        guard request.method == "POST", parts.count == 2, parts[1] == "messages:send" else {
            throw GoogleError(404, "There is no \(request.method) \(path).")
        }
    }

    private func checkAuthorization(_ request: IncomingRequest, at now: Date) throws(GoogleError) {
        guard let authorization = request.authorization, authorization.utf8.count > 7,
            authorization.prefix(7).lowercased() == "bearer "
        else { throw GoogleError(401, "The request has no access token.", info: "CREDENTIALS_MISSING") }
        switch tokens.verdict(on: String(authorization.dropFirst(7)), at: now) {
        case .good: break
        case .expired: throw GoogleError(401, "The access token has expired.", info: "ACCESS_TOKEN_EXPIRED")
        case .unknown:
            throw GoogleError(401, "The access token is not one of ours.", info: "ACCESS_TOKEN_TYPE_UNSUPPORTED")
        }
        let project = request.path.dropFirst(CarrierRoutes.projectsPrefix.count).prefix { $0 != "/" }
        guard project == standIn.projectID else {
            throw GoogleError(
                403, "The account may not send messages of the project \(project).", info: "IAM_PERMISSION_DENIED")
        }
    }
}
