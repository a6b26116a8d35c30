public import KasiaPushCore

/// A device of a wallet, as the list of its devices shows it.
public struct WalletDevice: Hashable, Sendable, Codable {
    /// The token's last 8 characters.
    public var tokenSuffix: String
    /// The platform's name; `platform` is nil for one that this library does not know.
    public var platformName: String
    /// When it was first registered, in UNIX seconds.
    public var createdAt: Int64
    /// When it last registered or updated with success, in UNIX seconds.
    public var lastSeen: Int64

    /// What the device runs; nil for a platform that this library does not know.
    public var platform: PushPlatform? { PushPlatform(rawValue: platformName) }

    private enum CodingKeys: String, CodingKey {
        case tokenSuffix = "device_token_suffix"
        case platformName = "platform"
        case createdAt = "created_at"
        case lastSeen = "last_seen"
    }
}

/// The answer of `/v1/push/devices`.
struct WalletDevices: Decodable {
    let devices: [WalletDevice]
}

/// The answer of `DELETE /v1/push/wallet`.
struct WalletRemoved: Decodable {
    let removed: Int
}

/// The answer of `/v1/push/vapid`.
struct VAPIDKey: Decodable {
    let publicKey: String

    private enum CodingKeys: String, CodingKey {
        case publicKey = "public_key"
    }
}
