import Crypto
import Kaspa
import Push
import Store

/// Checks 2 to 7 of registration-auth.md, in their order; 1 is the reading, 8 and 9 belong to the registry's write.
struct Authenticator: Sendable {
    /// How far a client's clock may be ahead, how long a signed request may live, and how long after its end it still
    /// may come; milliseconds.
    static let tolerance: UInt64 = 60_000

    let network: Network
    let nonces: NonceStore
    /// Milliseconds since 1970.
    let now: @Sendable () -> UInt64

    /// What the signatures prove; uses up the nonce.
    ///
    /// `mustOwnPrimaryAddress`: group traffic goes only to whom the primary address belongs. Errors: 400 and 401, the
    /// client's.
    func prove(
        _ auth: AuthObject, of content: SignedContent, mustOwnPrimaryAddress: Bool = false
    ) throws -> WalletProof {
        try checkTimes(auth)
        guard auth.walletAddress.prefix == network.addressPrefix, auth.walletAddress.version == .schnorr,
            ConstantTime.equal(auth.walletAddress.payload, auth.walletKey)
        else { throw APIError.unauthorized("auth.wallet_address is not the address of auth.wallet_pubkey") }
        guard !mustOwnPrimaryAddress || content.primaryAddress == auth.walletAddress.description else {
            throw APIError.unauthorized("primary_address must be auth.wallet_address for group messages")
        }
        guard isSignedByWallet(auth, content) else { throw APIError.unauthorized("auth.signature is not valid") }
        guard isSignedByDevice(auth, content) else {
            throw APIError.unauthorized("auth.device_auth.signature is not valid")
        }
        do {
            try nonces.take(auth.nonce, expiresAt: auth.expiresAt)
        } catch {
            throw APIError.unauthorized(error.sentence)
        }
        return WalletProof(
            wallet: auth.walletAddress,
            deviceKey: auth.device.map { DeviceKeyUse(keyID: $0.keyID, counter: $0.counter) })
    }

    private func checkTimes(_ auth: AuthObject) throws {
        guard auth.expiresAt >= auth.timestamp else {
            throw APIError.badRequest("auth.expires_at_ms is before auth.timestamp_ms")
        }
        guard auth.expiresAt - auth.timestamp <= Authenticator.tolerance else {
            throw APIError.badRequest("auth.expires_at_ms is more than 60 s after auth.timestamp_ms")
        }
        let time = now()
        guard auth.timestamp <= time || auth.timestamp - time <= Authenticator.tolerance else {
            throw APIError.unauthorized("auth.timestamp_ms is in the future")
        }
        guard auth.expiresAt >= time || time - auth.expiresAt <= Authenticator.tolerance else {
            throw APIError.unauthorized("auth has expired")
        }
    }

    private func isSignedByWallet(_ auth: AuthObject, _ content: SignedContent) -> Bool {
        content.walletPreimages(auth).contains { preimage in
            let digest = Array(SHA256.hash(data: Array(preimage.utf8)))
            return WalletSignature.isValid(auth.signature, of: digest, by: auth.walletKey)
        }
    }

    /// True without a device key: it is optional.
    private func isSignedByDevice(_ auth: AuthObject, _ content: SignedContent) -> Bool {
        guard let device = auth.device else { return true }
        guard ConstantTime.equal(device.keyID, Array(SHA256.hash(data: device.publicKey))) else { return false }
        return content.devicePreimages(auth, device).contains { preimage in
            DeviceSignature.isValid(
                device.signature, of: SHA256.hash(data: Array(preimage.utf8)), by: device.publicKey)
        }
    }
}

extension NonceStore.Refusal {
    var sentence: String {
        switch self {
        case .unknown: "auth.nonce is unknown or was used: ask for a new challenge"
        case .expired: "auth.nonce has expired: ask for a new challenge"
        case .otherExpiry: "auth.expires_at_ms is not the challenge's"
        }
    }
}
