import KasiaPushCore

/// The body of unregister and of a signed status.
struct DeviceBody: Encodable {
    let token: PushToken
    let auth: RequestAuthorization?

    private enum CodingKeys: String, CodingKey {
        case auth
        case token = "device_token"
    }
}

/// The body of a signed `/v1/push/missed`.
struct MissedBody: Encodable {
    let token: PushToken
    let after: UInt64?
    let limit: Int?
    let auth: RequestAuthorization

    private enum CodingKeys: String, CodingKey {
        case after, limit, auth
        case token = "device_token"
    }
}

/// The body of the two calls about a wallet.
struct WalletBody: Encodable {
    let auth: RequestAuthorization
}

/// The body of an update: a registration without its platform.
struct UpdateBody: Encodable {
    let request: RegistrationRequest

    func encode(to encoder: any Encoder) throws {
        try request.encode(to: encoder, platform: nil)
    }
}
