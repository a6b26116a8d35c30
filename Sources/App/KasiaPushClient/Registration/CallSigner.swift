import KasiaPushCore

/// Signs calls with the app's keys, each with a fresh challenge.
///
/// Errors of its calls: `RegistrationProblem` for a key that is missing; `IndexerError` of the challenge;
/// `RequestSignerError`; what the keys throw.
struct CallSigner: Sendable {
    let calls: any RegistrationCalls
    let keys: any RegistrationKeys
    let domain: SignatureDomain

    /// The signatures of a change, by the wallet's key and the device's as far as they are there.
    ///
    /// A device key alone signs an unregister.
    func authorization(
        _ call: SignedCall, token: PushToken, lists: SignedLists = .empty, wallet address: String
    ) async throws -> RequestAuthorization {
        let wallet = try await keys.walletKey(for: address)
        let device = try await keys.deviceKey()
        guard wallet != nil || call == .unregister && device != nil else { throw CallSigner.missing(address) }
        let challenge = try await calls.challenge()
        let counter = device == nil ? nil : try await nextCounter()
        let signer = RequestSigner(wallet: wallet, walletAddress: address, device: device, domain: domain)
        return try await signer.authorization(
            call, token: token, lists: lists, challenge: challenge, counter: counter)
    }

    /// The wallet's signature of a call that changes nothing.
    ///
    /// The device's key does not sign, so that its counter belongs to the changes alone.
    func readAuthorization(
        _ call: SignedCall, token: PushToken, wallet address: String
    ) async throws -> RequestAuthorization {
        guard let wallet = try await keys.walletKey(for: address) else { throw CallSigner.missing(address) }
        let signer = RequestSigner(wallet: wallet, walletAddress: address, device: nil, domain: domain)
        return try await signer.authorization(call, token: token, challenge: try await calls.challenge())
    }

    /// Lets the counter catch up with one that the service knows, after it refused this one.
    func raiseCounter() async throws {
        try await keys.storeDeviceKeyCounter(DeviceKeyCounter.raised(try await keys.deviceKeyCounter()))
    }

    /// The next counter, stored before it is used; nil when there is none left, and the wallet signs alone.
    private func nextCounter() async throws -> UInt64? {
        guard let counter = DeviceKeyCounter.next(after: try await keys.deviceKeyCounter()) else { return nil }
        try await keys.storeDeviceKeyCounter(counter)
        return counter
    }

    private static func missing(_ address: String) -> RegistrationProblem {
        RegistrationProblem(.walletKeyMissing, "The key of the wallet \(address.prefix(14))… is not on this device.")
    }
}
