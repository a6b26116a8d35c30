import KasiaPushCore

/// What is asked about the registration without changing it.
extension RegistrationManager {
    /// The registration that is wanted; nil when signed out.
    var wantedRegistration: DeviceRegistration? { machine.state.wanted?.registration }

    /// A page of what a device was told after a number; nil when the service does not know it.
    func missed(of device: DeviceRegistration, after: UInt64, isSigned: Bool) async throws -> MissedPushes? {
        do {
            return try await read(.missed, of: device, isSigned: isSigned) { auth throws(IndexerError) in
                try await calls.missed(of: device.token, after: after, limit: nil, auth: auth)
            }
        } catch let error as IndexerError where error.code == .notFound {
            return nil
        }
    }

    /// What the service has of a device; signed, it tells more of a bound registration.
    func status(of device: DeviceRegistration, isSigned: Bool) async throws -> RegistrationStatus {
        try await read(.status, of: device, isSigned: isSigned) { auth throws(IndexerError) in
            try await calls.status(of: device.token, auth: auth)
        }
    }

    /// Reads without a signature first, if that may be enough; some services want one for everything.
    private func read<Answer: Sendable>(
        _ call: SignedCall, of device: DeviceRegistration, isSigned: Bool,
        _ body: (RequestAuthorization?) async throws(IndexerError) -> Answer
    ) async throws -> Answer {
        guard let wallet = device.walletAddress else { return try await body(nil) }
        if !isSigned {
            do throws(IndexerError) {
                return try await body(nil)
            } catch {
                guard error.status == 401 else { throw error }
            }
        }
        return try await body(try await signer.readAuthorization(call, token: device.token, wallet: wallet))
    }
}
