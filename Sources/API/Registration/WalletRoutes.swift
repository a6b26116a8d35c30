import HTTPTypes
import Hummingbird
import Push
import Store

/// The calls about all devices of a wallet: `DELETE /v1/push/wallet` and `POST /v1/push/devices`.
struct WalletRoutes: Sendable {
    /// The characters of a token that are shown: enough for the owner to tell devices apart.
    private static let shownCharacters = 8

    let registry: DeviceRegistry
    let authorizer: RegistrationAuthorizer

    func add(to routes: RouterGroup<APIRequestContext>) {
        routes.delete("wallet") { request, context in
            try await authorizer.answer("wallet", request, context) { call in
                let count = try await registry.unregisterAll(of: try await proof(call, isChange: true))
                return .object([("status", .string("ok")), ("removed", .integer(UInt64(count)))])
            }
        }
        routes.post("devices") { request, context in
            try await authorizer.answer("devices", request, context) { call in
                let devices = try await registry.devices(of: try await proof(call, isChange: false))
                return .object([("devices", .array(devices.map(WalletRoutes.entry)))])
            }
        }
    }

    /// These calls must be signed by the wallet in every mode.
    private func proof(_ call: RegistrationCall, isChange: Bool) async throws -> WalletProof {
        guard let auth = try call.body.auth() else { throw APIError.unauthorized("auth is required") }
        let content = call.content(token: nil)
        return await isChange
            ? try authorizer.prove(call, content, auth)
            : try await authorizer.proveOnce(call, content, auth)
    }

    private static func entry(_ device: DeviceRecord) -> JSONAnswer {
        .object([
            ("device_token_suffix", .string(String(DeviceToken(of: device).signedText.suffix(shownCharacters)))),
            ("platform", .string(device.platform.label)),
            ("created_at", .integer(device.createdAt / 1000)),
            ("last_seen", .integer(device.lastSeen / 1000)),
        ])
    }
}
