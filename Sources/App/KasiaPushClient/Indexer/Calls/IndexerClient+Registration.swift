import Foundation
public import KasiaPushCore

extension IndexerClient: RegistrationCalls {
    /// Asks for a nonce that is good for one signed request within 60 seconds.
    public func challenge() async throws(IndexerError) -> PushChallenge {
        try await value(Call(method: "POST", path: "/v1/push/challenge"))
    }

    /// Asks for a nonce, for networks that let only GET through.
    public func challengeByGet() async throws(IndexerError) -> PushChallenge {
        try await value(Call(path: "/v1/push/challenge"))
    }

    /// Registers a device or replaces its registration.
    public func register(_ request: RegistrationRequest) async throws(IndexerError) -> RegistrationAnswer {
        try await registered(.sending(request, to: SignedCall.register.path))
    }

    /// Replaces the registration of a device; its platform is not sent.
    public func update(_ request: RegistrationRequest) async throws(IndexerError) -> RegistrationAnswer {
        try await registered(.sending(UpdateBody(request: request), by: "PUT", to: SignedCall.update.path))
    }

    /// Replaces the registration of a device, for networks without PUT; the signature is of the method POST.
    public func updateByPost(_ request: RegistrationRequest) async throws(IndexerError) -> RegistrationAnswer {
        try await registered(.sending(UpdateBody(request: request), to: SignedCall.update.path))
    }

    /// Ends the registration of a device; it is no error if there is none.
    public func unregister(_ token: PushToken, auth: RequestAuthorization?) async throws(IndexerError) {
        let body = DeviceBody(token: token, auth: auth)
        try await confirmation(of: .sending(body, by: "DELETE", to: SignedCall.unregister.path))
    }

    /// Ends the registration of a device, for networks that drop the body of DELETE; the signature is of POST.
    public func unregisterByPost(_ token: PushToken, auth: RequestAuthorization?) async throws(IndexerError) {
        try await confirmation(of: .sending(DeviceBody(token: token, auth: auth), to: SignedCall.unregister.path))
    }

    /// Asks what the service has registered for a device; with `auth` a bound registration is told in full.
    public func status(
        of token: PushToken, auth: RequestAuthorization?
    ) async throws(IndexerError) -> RegistrationStatus {
        let path = SignedCall.status.path
        guard let auth else { return try await value(Call(path: path, query: [("device_token", token.text)])) }
        return try await value(.sending(DeviceBody(token: token, auth: auth), to: path))
    }

    /// Asks which pushes a device was sent after a number, at most 100 an answer.
    public func missed(
        of token: PushToken, after: UInt64?, limit: Int?, auth: RequestAuthorization?
    ) async throws(IndexerError) -> MissedPushes {
        let path = SignedCall.missed.path
        if let auth {
            return try await value(
                .sending(MissedBody(token: token, after: after, limit: limit, auth: auth), to: path))
        }
        return try await value(
            Call(
                path: path,
                query: [
                    ("device_token", token.text), ("after", after.map(String.init)), ("limit", limit.map(String.init)),
                ]))
    }

    /// The key with which a browser or a UnifiedPush app subscribes: a point of P-256, 65 bytes, in base64url.
    ///
    /// Errors: `not_found` when the operator has not configured Web Push.
    public func vapidPublicKey() async throws(IndexerError) -> String {
        try await value(Call(path: "/v1/push/vapid"), as: VAPIDKey.self).publicKey
    }

    /// The key with which the service signs pushes.
    ///
    /// Errors: `not_found` when the operator has configured none, and pushes are not signed.
    public func pushSigningKey() async throws(IndexerError) -> PushSigningKey {
        try await value(Call(path: "/v1/push/key"))
    }

    /// Lists the devices of the wallet that signed (`SignedCall.devices`), the one seen last first; at most 20.
    public func devices(auth: RequestAuthorization) async throws(IndexerError) -> [WalletDevice] {
        let call = Call.sending(WalletBody(auth: auth), to: SignedCall.devices.path)
        return try await value(call, as: WalletDevices.self).devices
    }

    /// Ends the registrations of all devices of the wallet that signed (`SignedCall.wallet`).
    ///
    /// - Returns: How many there were.
    public func unregisterWallet(auth: RequestAuthorization) async throws(IndexerError) -> Int {
        let call = Call.sending(WalletBody(auth: auth), by: "DELETE", to: SignedCall.wallet.path)
        return try await value(call, as: Confirmed<WalletRemoved>.self).members.removed
    }

    /// Rings the phones of another wallet; the answer does not say whether there are any.
    ///
    /// Errors: status 403 when the token is not bound to the wallet that signed.
    public func ring(_ request: RingRequest) async throws(IndexerError) {
        let _: Nothing = try await value(.sending(request, to: SignedCall.ring.path))
    }

    private func registered(_ call: Call) async throws(IndexerError) -> RegistrationAnswer {
        try await value(call, as: Confirmed<RegistrationAnswer>.self).members
    }
}
