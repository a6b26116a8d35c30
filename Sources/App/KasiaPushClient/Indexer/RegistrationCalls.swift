public import KasiaPushCore

/// The service's calls that a registration and the search for gaps need; `IndexerClient` makes them.
///
/// Each call sends one request and repeats nothing. Errors: `IndexerError`, whose kind says whether the service
/// refused the request, could not be reached, or answered something else than expected.
public protocol RegistrationCalls: Sendable {
    /// Asks for a nonce that is good for one signed request within 60 seconds.
    func challenge() async throws(IndexerError) -> PushChallenge

    /// Registers a device or replaces its registration (`SignedCall.register`).
    ///
    /// On success it is on the server's disk.
    func register(_ request: RegistrationRequest) async throws(IndexerError) -> RegistrationAnswer

    /// Replaces the registration of a device (`SignedCall.update`).
    ///
    /// The request's platform is not sent: a known device keeps its own.
    func update(_ request: RegistrationRequest) async throws(IndexerError) -> RegistrationAnswer

    /// Ends the registration of a device (`SignedCall.unregister`); it is no error if there is none.
    func unregister(_ token: PushToken, auth: RequestAuthorization?) async throws(IndexerError)

    /// Asks what the service has registered for a device.
    ///
    /// With `auth` the call is signed (`SignedCall.status`) and a bound registration is told in full.
    func status(of token: PushToken, auth: RequestAuthorization?) async throws(IndexerError) -> RegistrationStatus

    /// Asks which pushes a device was sent after a number; at most 100 an answer.
    ///
    /// With `auth` the call is signed (`SignedCall.missed`). Without `after` the answer begins with the oldest that is
    /// kept. Errors: `not_found` when the device is not registered; its numbers start anew once it is.
    func missed(
        of token: PushToken, after: UInt64?, limit: Int?, auth: RequestAuthorization?
    ) async throws(IndexerError) -> MissedPushes

    /// Asks whether the service runs.
    func health() async throws(IndexerError)

    /// Asks which parts of the service do their work.
    ///
    /// A service that is not ready answers with status 503, which is no error here.
    func ready() async throws(IndexerError) -> Readiness
}
