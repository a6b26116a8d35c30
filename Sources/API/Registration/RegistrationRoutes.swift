import HTTPTypes
import Hummingbird
import HummingbirdCore
import Kaspa
import Push
import Store

/// `POST /v1/push/register`, `PUT /v1/push/update`, `DELETE /v1/push/unregister`, `/v1/push/status`.
struct RegistrationRoutes: Sendable {
    let registry: DeviceRegistry
    let authorizer: RegistrationAuthorizer
    let reads: Reads

    private var admission: CarrierAdmission {
        CarrierAdmission(registry: registry, configuration: authorizer.configuration)
    }
    private var mode: APIConfiguration.AuthenticationMode { authorizer.configuration.authenticationMode }

    func add(to routes: RouterGroup<APIRequestContext>) {
        routes.post("register") { request, context in
            try await authorizer.answer("register", request, context) { try await upsert($0, needsPlatform: true) }
        }
        for method in [HTTPRequest.Method.put, .post] {
            routes.on("update", method: method) { request, context in
                try await authorizer.answer("update", request, context) { try await upsert($0, needsPlatform: false) }
            }
        }
        for method in [HTTPRequest.Method.delete, .post] {
            routes.on("unregister", method: method) { request, context in
                try await authorizer.answer("unregister", request, context, remove)
            }
        }
        routes.get("status") { request, _ in try await status(request) }
        routes.post("status") { request, context in
            try await authorizer.answer("status", request, context, signedStatus)
        }
        MissedRoute(registry: registry, authorizer: authorizer, reads: reads).add(to: routes)
    }

    private func upsert(_ call: RegistrationCall, needsPlatform: Bool) async throws -> JSONAnswer {
        var registration = try call.body.registration(needsPlatform: needsPlatform)
        try admission.checkCarrier(of: registration)
        let auth = try call.body.auth()
        let content = call.content(of: registration)
        if let auth {
            registration = try registration.signed(with: auth.version, hasGroupIDs: call.body.hasGroupIDs)
        } else {
            try registration.checkUnsigned()
        }
        let proof = try await authorizer.proof(
            of: call, token: DeviceToken(of: registration), content: content, auth: auth,
            mustOwnPrimaryAddress: registration.wantsGroups)
        if registration.payloadFormat == nil, proof?.isOfKachat == true || call.body.isOfKachat {
            registration.payloadFormat = .kachat
        }
        registration = try await admission.admit(registration, call)
        try await registry.register(registration, proof: proof)
        return .done(warnings: registration.warnings)
    }

    private func remove(_ call: RegistrationCall) async throws -> JSONAnswer {
        let token = try call.body.deviceToken()
        let auth = try call.body.auth()
        let proof = try await authorizer.removalProof(of: call, token: token, auth: auth)
        // A reinstalled app has a new device key and perhaps no wallet. Except in `strict`, it may start over if no
        // device key is stored.
        try await registry.unregister(token: token.bytes, proof: proof, anyDeviceKeyMayRemove: mode != .strict)
        return .done
    }

    private func status(_ request: Request) async throws -> Response {
        guard mode != .strict else { throw APIError.unauthorized("auth is required: send it with POST") }
        guard let text = request.uri.formParameters["device_token"] else {
            throw APIError.badRequest("device_token is missing")
        }
        let device = try await registry.device(token: try DeviceToken(String(text)).bytes)
        return JSONAnswer.response(.ok, RegistrationStatus(device: device, reader: nil).answer)
    }

    /// The same by POST, with a signature.
    ///
    /// It may be unsigned where GET is allowed.
    private func signedStatus(_ call: RegistrationCall) async throws -> JSONAnswer {
        let token = try call.body.deviceToken()
        guard let auth = try call.body.auth() else {
            guard mode != .strict else { throw APIError.unauthorized("auth is required") }
            return await RegistrationStatus(device: try registry.device(token: token.bytes), reader: nil).answer
        }
        let proof = try await authorizer.proveOnce(call, call.content(token: token), auth)
        let device = try await registry.device(token: token.bytes, proof: proof, mayBeUnbound: mode != .strict)
        return RegistrationStatus(device: device, reader: proof.wallet).answer
    }
}

extension JSONAnswer {
    static let done = JSONAnswer.object([("status", .string("ok"))])

    /// The same with warnings.
    ///
    /// Without any, the member is left out.
    static func done(warnings: [String]) -> JSONAnswer {
        guard !warnings.isEmpty else { return .done }
        return .object([("status", .string("ok")), ("warnings", .array(warnings.map { .string($0) }))])
    }
}

extension URI {
    /// The query's parameters.
    ///
    /// A `+` is a space, as in HTML forms.
    var formParameters: FlatDictionary<Substring, Substring> {
        URI("/?" + (query ?? "").replacing("+", with: "%20")).queryParameters
    }
}
