import HTTP2Client
import Logging
import Synchronization
import Troubles

/// The provider token that requests are sent with.
extension APNsClient {
    struct Credentials {
        var source: ProviderTokenSource
        /// The header fields of the token last used.
        var headers: (token: ProviderToken, fields: RequestHeaders)?
        /// How many tokens have been used.
        var generation = 0
    }

    /// Makes sure that a provider token that can be used is kept; mints one where needed.
    public func prepareProviderToken() async throws(ProviderTokenError) {
        let source = credentials.withLock { $0.source }
        _ = try await source.current()
    }

    /// Replaces all connections: those in use finish what is in flight, what comes later goes on fresh ones.
    public func replaceConnections() {
        for server in servers { server.pool.replaceAll() }
    }

    /// Goes over to another team or key, on fresh connections; nothing is lost.
    public func replaceProviderToken(_ source: ProviderTokenSource) {
        let lastGeneration = credentials.withLock { credentials in
            credentials.source = source
            // They are of a generation that is refused from now on, even if the token should be the same.
            credentials.headers = nil
            return credentials.generation
        }
        for server in servers { server.pool.replaceAll(refusingUpTo: lastGeneration) }
    }

    /// What to send with if nothing has to be waited for.
    var attemptAtHand: Attempt? {
        let source = credentials.withLock { $0.source }
        guard let token = source.tokenAtHand, let headers = headers(for: token, from: source) else {
            return nil
        }
        return Attempt(source: source, token: token, headers: headers)
    }

    /// What to send with; nil if the source was replaced meanwhile.
    func nextAttempt() async throws -> Attempt? {
        let source = credentials.withLock { $0.source }
        let token = try await source.current()
        guard let headers = headers(for: token, from: source) else { return nil }
        return Attempt(source: source, token: token, headers: headers)
    }

    /// The shared header fields for a token, made once for each; nil if its source has been replaced meanwhile.
    private func headers(for token: ProviderToken, from source: ProviderTokenSource) -> RequestHeaders? {
        credentials.withLock { credentials in
            guard credentials.source === source else { return nil }
            if let kept = credentials.headers, kept.token == token { return kept.fields }
            credentials.generation += 1
            let fields = RequestHeaders(
                token: token, generation: credentials.generation, topic: configuration.topic)
            credentials.headers = (token, fields)
            return fields
        }
    }

    /// Whether there is another token than the one that Apple refused with this outcome.
    func hasSuccessor(to attempt: Attempt, after outcome: APNsOutcome) async -> Bool {
        switch outcome {
        case .providerTokenExpired: await renew(attempt.token, from: attempt.source)
        case .configurationRefused(.invalidProviderToken): await replace(attempt.token, from: attempt.source)
        default: false
        }
    }

    /// Whether there is another token than the one that Apple called invalid.
    private func replace(_ token: ProviderToken, from source: ProviderTokenSource) async -> Bool {
        do {
            return try await source.replaceIfClockWasSet(after: token.jwt) != nil
        } catch {
            if let summary = tokenTrouble.met("replaced: \(error)") {
                logger.error(
                    "APNs provider token could not be replaced", metadata: ["error.message": "\(error)"].adding(summary)
                )
            }
            return false
        }
    }

    /// Whether there is another token than the one that Apple called expired.
    private func renew(_ token: ProviderToken, from source: ProviderTokenSource) async -> Bool {
        do {
            switch try await source.renew(after: token.jwt) {
            case .renewed:
                _ = tokenTrouble.over()
                return true
            case .tooEarly(let remaining):
                guard let summary = tokenTrouble.met("too early") else { return false }
                let metadata: Logger.Metadata = [
                    "apns.retry_after": "\(remaining)", "apns.issued_at": "\(token.issuedAt)",
                ]
                logger.warning(
                    "APNs provider token called expired too early to be renewed", metadata: metadata.adding(summary))
            }
        } catch {
            if let summary = tokenTrouble.met("renewed: \(error)") {
                logger.error(
                    "APNs provider token could not be renewed", metadata: ["error.message": "\(error)"].adding(summary))
            }
        }
        return false
    }
}
