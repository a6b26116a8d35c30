import Carriers
import HTTPTypes
import Hummingbird

/// The operator's public keys: `GET /v1/push/vapid`, which a page needs to subscribe, and `GET /v1/push/key`, with which
/// an app checks who has sent a push.
struct PublicKeyRoutes: Sendable {
    /// base64url; nil without Web Push.
    let vapid: String?
    /// The key in use; nil if pushes are not signed.
    let signing: @Sendable () -> SigningPublicKey?

    func add(to routes: RouterGroup<APIRequestContext>) {
        routes.get("vapid") { _, _ in
            guard let vapid else {
                throw APIError(
                    status: .notFound,
                    message: "Web Push is not served here: the operator has not configured web_push.*")
            }
            return JSONAnswer.response(.ok, .object([("public_key", .string(vapid))]))
        }
        routes.get("key") { _, _ in
            guard let key = signing() else {
                throw APIError(
                    status: .notFound,
                    message: "pushes are not signed here: the operator has not configured push.signing_key_path")
            }
            return JSONAnswer.response(
                .ok,
                .object([
                    ("algorithm", .string("ed25519")), ("public_key", .string(key.text)),
                    ("key_id", .string(key.keyID)),
                ]))
        }
    }
}
