import JSON
import Kaspa
import Store

/// The `auth` object of a request (app developer guide, "Sign").
///
/// Only its shape is checked here.
struct AuthObject: Equatable {
    enum Version: Equatable { case one, two }

    /// x-only, 32 bytes.
    let walletKey: [UInt8]
    /// It may be of another network; `Authenticator` checks that.
    let walletAddress: Address
    /// 32 hex digits as the client wrote them, since the signature covers the spelling.
    let nonce: String
    let timestamp: UInt64
    let expiresAt: UInt64
    /// BIP-340, 64 bytes.
    let signature: [UInt8]
    let version: Version
    let device: DeviceAuthObject?

    /// Errors: 400 with the member that is wrong.
    init(_ value: JSONValue) throws {
        let members = try MemberReader(value, name: "auth")
        walletKey = try members.hex("wallet_pubkey", bytes: 32)
        let address = try members.text("wallet_address").trimmed
        guard address.utf8.count <= APILimits.addressBytes, let parsed = try? Address(parsing: address) else {
            throw APIError.badRequest("auth.wallet_address is not a valid address")
        }
        walletAddress = parsed
        nonce = try members.text("nonce")
        guard Hex.decode(nonce)?.count == NonceUse.byteCount else {
            throw APIError.badRequest("auth.nonce must be 32 hex digits")
        }
        timestamp = try members.integer("timestamp_ms")
        expiresAt = try members.integer("expires_at_ms")
        signature = try members.hex("signature", bytes: 64)
        switch members.present("auth_version") {
        case nil, .integer(1): version = .one
        case .integer(2): version = .two
        default: throw APIError.badRequest("auth.auth_version must be 1 or 2")
        }
        device = try members.present("device_auth").map { try DeviceAuthObject($0) }
    }
}

/// The `device_auth` object in it: a key in the phone's secure element.
struct DeviceAuthObject: Equatable {
    static let scheme = "device_key_v1"
    /// An uncompressed point of P-256.
    static let publicKeyBytes = 65...65
    /// Raw r and s have 64 bytes; DER has 8 to 72.
    static let signatureBytes = 8...72

    /// 32 bytes.
    let keyID: [UInt8]
    let publicKey: [UInt8]
    /// At least 1.
    let counter: UInt64
    /// DER, or r and s.
    let signature: [UInt8]

    /// Errors: 400 with the member that is wrong.
    init(_ value: JSONValue) throws {
        let members = try MemberReader(value, name: "auth.device_auth")
        guard try members.text("scheme") == DeviceAuthObject.scheme else {
            throw APIError.badRequest("auth.device_auth.scheme must be \(DeviceAuthObject.scheme)")
        }
        keyID = try members.hex("key_id", bytes: 32)
        publicKey = try members.base64("pubkey", bytes: DeviceAuthObject.publicKeyBytes)
        counter = try members.integer("counter")
        guard counter > 0 else { throw APIError.badRequest("auth.device_auth.counter must be greater than 0") }
        signature = try members.base64("signature", bytes: DeviceAuthObject.signatureBytes)
    }
}
