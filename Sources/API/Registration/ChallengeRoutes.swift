import HTTPTypes
import Hummingbird

/// `POST /v1/push/challenge`, and GET: a nonce for the next signature.
struct ChallengeRoutes: Sendable {
    let nonces: Nonces
    /// A limiter of its own, since a client asks for a nonce before each change.
    let limiter: RateLimiter

    func add(to routes: RouterGroup<APIRequestContext>) {
        for method in [HTTPRequest.Method.post, .get] {
            routes.on("challenge", method: method) { request, context in
                try limiter.admit(request, context)
                let challenge = try await issue(context)
                return JSONAnswer.response(
                    .ok,
                    .object([
                        ("nonce", .string(challenge.nonce)), ("issued_at_ms", .integer(challenge.issuedAt)),
                        ("expires_at_ms", .integer(challenge.expiresAt)),
                    ]), headers: [.cacheControl: "no-store"])
            }
        }
    }

    private func issue(_ context: APIRequestContext) async throws -> Nonces.Challenge {
        do {
            return try await nonces.issue()
        } catch {
            throw APIError(error, context.logger)
        }
    }
}
