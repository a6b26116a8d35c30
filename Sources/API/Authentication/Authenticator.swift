import Crypto
import Kaspa
import Push
import Store

/// Checks a request's `auth`: times, address, signatures and nonce, in this order.
///
/// `AuthObject` has checked the shape. Whether the wallet may change the device, and whether the nonce is unused, the
/// registry checks in its write.
struct Authenticator: Sendable {
    /// How far a client's clock may be ahead, how long a signed request may be valid, and how long after its end it is
    /// still accepted; milliseconds.
    static let tolerance: UInt64 = 60_000

    let network: Network
    let nonces: Nonces
    /// Milliseconds since 1970.
    let now: @Sendable () -> UInt64

    /// What the signatures prove.
    ///
    /// Each one that is present must be valid. The nonce is checked, but not used yet. `mustOwnPrimaryAddress`: group
    /// messages go only to the owner of the primary address. Errors: 400 and 401, the client's fault; `StoreError`.
    func prove(
        _ auth: AuthObject, of content: SignedContent, mustOwnPrimaryAddress: Bool = false
    ) async throws -> WalletProof {
        try checkTimes(auth)
        try checkAddress(auth)
        guard !mustOwnPrimaryAddress || content.primaryAddress == auth.walletAddress.description else {
            throw APIError.unauthorized(
                "primary_address must be auth.wallet_address for group messages", .wrongSignature)
        }
        guard let signed = preimageSignedByWallet(auth, content) else { throw wrongSignature(auth, content) }
        let device = try provenDeviceKey(auth, content)
        return WalletProof(
            wallet: auth.walletAddress, deviceKey: device, isOfKachat: signed.isOfKachat,
            nonce: try await checkNonce(auth))
    }

    /// What the signatures of an unregister prove.
    ///
    /// They are alternatives: one valid signature is enough, so that a phone whose wallet is gone can still unregister.
    ///
    /// Errors: as `prove`; 401 without a valid signature.
    func proveRemoval(_ auth: AuthObject, of content: SignedContent) async throws -> RemovalProof {
        try checkTimes(auth)
        try checkAddress(auth)
        let isSignedByWallet = preimageSignedByWallet(auth, content) != nil
        guard isSignedByWallet || auth.device != nil else { throw wrongSignature(auth, content) }
        let device = isSignedByWallet ? try? provenDeviceKey(auth, content) : try provenDeviceKey(auth, content)
        return RemovalProof(
            wallet: isSignedByWallet ? auth.walletAddress : nil, deviceKey: device, nonce: try await checkNonce(auth))
    }

    /// Carries the text that today's apps sign, for a developer to compare.
    private func wrongSignature(_ auth: AuthObject, _ content: SignedContent) -> APIError {
        .unauthorized(
            "auth.signature is not valid", .wrongSignature,
            expectedText: content.walletPreimages(auth).first?.text)
    }

    private func checkAddress(_ auth: AuthObject) throws {
        guard auth.walletAddress.prefix == network.addressPrefix, auth.walletAddress.version == .schnorr,
            ConstantTime.equal(auth.walletAddress.payload, auth.walletKey)
        else {
            throw APIError.unauthorized(
                "auth.wallet_address is not the address of auth.wallet_pubkey", .wrongSignature)
        }
    }

    private func checkNonce(_ auth: AuthObject) async throws -> NonceUse {
        do {
            return try await nonces.check(auth.nonce, expiresAt: auth.expiresAt)
        } catch let refusal as Nonces.Refusal {
            throw APIError.unauthorized(refusal.sentence, .freshNonceNeeded)
        }
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
            throw APIError.unauthorized("auth.timestamp_ms is in the future", .wrongTime)
        }
        guard auth.expiresAt >= time || time - auth.expiresAt <= Authenticator.tolerance else {
            throw APIError.unauthorized("auth has expired", .freshNonceNeeded)
        }
    }

    /// The text that the wallet has signed; nil if it is none of the accepted ones.
    private func preimageSignedByWallet(_ auth: AuthObject, _ content: SignedContent) -> SignedContent.Preimage? {
        content.walletPreimages(auth).first { preimage in
            let digest = Array(SHA256.hash(data: Array(preimage.text.utf8)))
            return WalletSignature.isValid(auth.signature, of: digest, by: auth.walletKey)
        }
    }

    /// The use of the device key that has signed; nil without one, since it is optional.
    ///
    /// Errors: 401 if the signature is not valid.
    private func provenDeviceKey(_ auth: AuthObject, _ content: SignedContent) throws -> DeviceKeyUse? {
        guard let device = auth.device else { return nil }
        let isKey = ConstantTime.equal(device.keyID, Array(SHA256.hash(data: device.publicKey)))
        guard isKey,
            content.devicePreimages(auth, device).contains(where: { preimage in
                DeviceSignature.isValid(
                    device.signature, of: SHA256.hash(data: Array(preimage.text.utf8)), by: device.publicKey)
            })
        else {
            throw APIError.unauthorized(
                "auth.device_auth.signature is not valid", .wrongSignature,
                expectedText: content.devicePreimages(auth, device).first?.text)
        }
        return DeviceKeyUse(keyID: device.keyID, counter: device.counter)
    }
}
