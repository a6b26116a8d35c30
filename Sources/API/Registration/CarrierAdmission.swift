import HTTPTypes
import Push
import Store

/// Whether a registration's carrier is served here, and whether a device that is not registered yet may be.
struct CarrierAdmission: Sendable {
    let registry: DeviceRegistry
    let configuration: APIConfiguration

    /// Errors: 400 if the operator has not configured the carrier.
    func checkCarrier(of registration: Registration) throws {
        let carrier = registration.carrier
        guard !configuration.carriers.contains(carrier) else { return }
        let what = registration.platform.map { "platform \($0.label)" } ?? "this kind of device_token"
        throw APIError(
            status: .badRequest,
            message: "\(what) is not served here: the operator has not configured \(carrier.label).*",
            code: .carrierNotConfigured)
    }

    /// The registration with all that the registry needs, once its signatures are proved.
    ///
    /// A new device counts against its limits before its endpoint is asked, so that nobody can make this server ask more
    /// often than it takes new devices. Errors: 400 for keys that are missing, or an endpoint that is refused; 429; 503;
    /// `StoreError`.
    func admit(_ registration: Registration, _ call: RegistrationCall) async throws -> Registration {
        guard registration.carrier == .webPush else {
            if try await !registry.isRegistered(token: registration.token) { try call.admitNewDevice() }
            return registration
        }
        var registration = registration
        let known = try await registry.device(token: registration.token)
        guard let keys = registration.subscriptionKeys ?? known?.subscriptionKeys else {
            throw APIError.badRequest("subscription is missing: this endpoint is not registered")
        }
        registration.subscriptionKeys = keys
        if known == nil { try call.admitNewDevice() }
        // Bytes of Apple's may spell an endpoint: one that was registered so has not been asked.
        if known?.platform.carrier != .webPush { try await checkEndpoint(of: registration) }
        return registration
    }

    private func checkEndpoint(of registration: Registration) async throws {
        let endpoint = DeviceToken(of: registration).signedText
        guard let reason = await configuration.checkEndpoint(endpoint, registration.platform ?? .web) else { return }
        throw APIError.badRequest("subscription.endpoint \(reason)")
    }
}
