import HTTPTypes
import Hummingbird

/// `GET /v1/push/vapid`: the operator's public key, which a page needs to subscribe.
struct VAPIDRoute: Sendable {
    /// base64url; nil without Web Push.
    let publicKey: String?

    func add(to routes: RouterGroup<APIRequestContext>) {
        routes.get("vapid") { _, _ in
            guard let publicKey else {
                throw APIError(
                    status: .notFound,
                    message: "Web Push is not served here: the operator has not configured web_push.*")
            }
            return JSONAnswer.response(.ok, .object([("public_key", .string(publicKey))]))
        }
    }
}
