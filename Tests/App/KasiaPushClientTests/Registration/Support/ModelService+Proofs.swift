import KasiaPushCore

@testable import KasiaPushClient

/// What the signatures of a request prove, in the order of the service's checks.
extension ModelService {
    mutating func prove(
        _ auth: RequestAuthorization, _ call: SignedCall, _ token: PushToken, _ lists: SignedLists
    ) throws(IndexerError) -> (wallet: String, key: KeyUse?, nonce: String) {
        try checkTimes(auth)
        let text = ModelSignature(auth: auth, call: call, token: token, lists: lists)
        guard text.isSignedByWallet else { throw .refusal(401, .wrongSignature, "auth.signature is not valid") }
        guard auth.device == nil || text.isSignedByDevice else {
            throw .refusal(401, .wrongSignature, "auth.device_auth.signature is not valid")
        }
        try checkNonce(auth)
        try admit(auth.walletAddress, token)
        return (auth.walletAddress, auth.device.map { KeyUse(keyID: $0.keyID, counter: $0.counter) }, auth.nonce)
    }

    mutating func proveRemoval(
        _ auth: RequestAuthorization, _ token: PushToken
    ) throws(IndexerError) -> (wallet: String?, key: KeyUse?, nonce: String) {
        try checkTimes(auth)
        let text = ModelSignature(auth: auth, call: .unregister, token: token, lists: .empty)
        guard text.isSignedByWallet || text.isSignedByDevice else {
            throw .refusal(401, .wrongSignature, "auth.signature is not valid")
        }
        try checkNonce(auth)
        let key = text.isSignedByDevice ? auth.device.map { KeyUse(keyID: $0.keyID, counter: $0.counter) } : nil
        let wallet = text.isSignedByWallet ? auth.walletAddress : nil
        try admit(wallet ?? key?.keyID ?? "", token)
        return (wallet, key, auth.nonce)
    }

    mutating func reader(
        of token: PushToken, _ call: SignedCall, _ auth: RequestAuthorization?
    ) throws(IndexerError) -> String? {
        guard let auth else {
            guard mode != .strict else { throw .refusal(401, .authRequired, "auth is required: send it with POST") }
            return nil
        }
        let proof = try prove(auth, call, token, .empty)
        try use(proof.nonce)
        if let device = devices[token], device.wallet != proof.wallet {
            guard device.wallet == nil, mode != .strict else {
                throw .refusal(401, .boundElsewhere, "device token is bound to another wallet")
            }
        }
        return proof.wallet
    }

    private func checkTimes(_ auth: RequestAuthorization) throws(IndexerError) {
        guard auth.timestamp <= now + 60_000 else {
            throw .refusal(401, .wrongTime, "auth.timestamp_ms is in the future")
        }
        guard auth.expiresAt >= now - 60_000 else { throw .refusal(401, .freshNonceNeeded, "auth has expired") }
    }

    private func checkNonce(_ auth: RequestAuthorization) throws(IndexerError) {
        guard nonces[auth.nonce] == auth.expiresAt, now <= auth.expiresAt, !usedNonces.contains(auth.nonce) else {
            throw .usedNonce
        }
    }

    mutating func admit(_ signer: String, _ token: PushToken) throws(IndexerError) {
        try allowances.take("wallet \(signer)", perMinute: 60, now: now)
        try allowances.take("token \(signer) \(token.hash)", perMinute: 20, now: now)
    }
}
