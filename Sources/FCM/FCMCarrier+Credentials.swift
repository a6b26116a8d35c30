import Clocks
import HTTP2Client
import Logging
import Synchronization
import Troubles

/// The service account and the access token that messages are sent with.
extension FCMCarrier {
    struct Credentials {
        let source: AccessTokenSource
        /// The way to the token endpoint.
        let transport: FCMTransport
        /// The header fields of the token last used.
        var shared: (token: AccessToken, fields: SharedFields)?
        /// How many tokens have been used.
        var generation = 0

        /// Nothing is asked for yet.
        init(_ account: ServiceAccount, clock: MachineClock, transports: FCMTransport.Factory) {
            // Only one request at a time is made there.
            let transport = transports(account.tokenAddress.origin, 1, 1)
            self.transport = transport
            source = AccessTokenSource(account, clock: clock) {
                await transport.send($0, with: AccessTokenRequest.fields)
            }
        }
    }

    /// What one attempt is sent with.
    struct Attempt: Sendable {
        let source: AccessTokenSource
        let token: AccessToken
        let shared: SharedFields

        var project: String { source.account.projectID }

        func request(_ body: [UInt8]) -> HTTPRequest {
            HTTPRequest(path: "/v1/projects/\(project)/messages:send", fields: [], body: body)
        }
    }

    /// Goes over to another account, which may be another project's; nothing is lost.
    public func replaceAccount(_ account: ServiceAccount) {
        let old = credentials.withLock { credentials -> FCMTransport? in
            // The service's end knows only the account that there is then.
            guard !isStopping.load(ordering: .acquiring) else { return nil }
            let old = credentials.transport
            let generation = credentials.generation
            credentials = Credentials(account, clock: clock, transports: makeTransport)
            credentials.generation = generation
            return old
        }
        guard let old else { return }
        // Whoever waits for the old account's token then asks for the new one's.
        _ = waits.add { [configuration] in await old.stop(configuration.drainTimeout) }
    }

    /// What to send with if nothing has to be waited for; has a token renewed that ends soon.
    var attemptAtHand: Attempt? {
        let source = credentials.withLock { $0.source }
        guard let token = source.tokenAtHand, let attempt = attempt(with: token, from: source) else { return nil }
        if source.shouldRenew() { _ = waits.add { [self] in await renew(source) } }
        return attempt
    }

    /// What to send with; asks for an access token where needed.
    func nextAttempt() async throws(AccessTokenError) -> Attempt {
        while !isStopping.load(ordering: .acquiring) {
            let source = credentials.withLock { $0.source }
            do throws(AccessTokenError) {
                if let attempt = attempt(with: try await source.current(), from: source) { return attempt }
            } catch {
                // What an account says that was replaced meanwhile does not matter any more.
                guard isReplaced(source) else { throw error }
            }
        }
        throw .stopped
    }

    /// What to send with after an attempt whose access token was refused; nil: there is no other token to be had.
    func successor(to refused: Attempt) async throws(AccessTokenError) -> Attempt? {
        let source = refused.source
        do throws(AccessTokenError) {
            guard let token = try await source.replacement(for: refused.token) else {
                return isReplaced(source) ? try await nextAttempt() : nil
            }
            if let attempt = attempt(with: token, from: source) { return attempt }
        } catch {
            guard isReplaced(source) else { throw error }
        }
        return try await nextAttempt()
    }

    private func isReplaced(_ source: AccessTokenSource) -> Bool { credentials.withLock { $0.source !== source } }

    /// An attempt with the header fields for a token, made once for each; nil if its account has been replaced.
    private func attempt(with token: AccessToken, from source: AccessTokenSource) -> Attempt? {
        credentials.withLock { credentials in
            guard credentials.source === source else { return nil }
            if let kept = credentials.shared, kept.token == token {
                return Attempt(source: source, token: token, shared: kept.fields)
            }
            credentials.generation += 1
            let fields = SharedFields(
                [
                    HeaderField("authorization", "Bearer \(token.value)"),
                    HeaderField("content-type", "application/json"),
                ], generation: credentials.generation)
            credentials.shared = (token, fields)
            return Attempt(source: source, token: token, shared: fields)
        }
    }

    private func renew(_ source: AccessTokenSource) async {
        guard let error = await source.renew() else {
            _ = renewalTrouble.over()
            return
        }
        guard error.kind != .stopped, let summary = renewalTrouble.met(error.description) else { return }
        logger.warning(
            "FCM access token could not be renewed before its end",
            metadata: ["error.message": "\(error)"].adding(summary))
    }
}
