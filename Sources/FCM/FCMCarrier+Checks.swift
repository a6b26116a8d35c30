public import Carriers
import Synchronization

/// What Google said to the service account.
public struct CheckedCredentials: Sendable, Equatable {
    /// The project that pushes are sent for.
    public var projectID: String
    /// The account's name, an e-mail address.
    public var clientEmail: String
    /// How long the access token is good for.
    public var lifetime: Duration
}

/// What the operator's commands ask.
extension FCMCarrier {
    /// Gets an access token, or takes the one at hand; nothing is sent to a device.
    ///
    /// - Throws: Why Google gives none.
    public func checkCredentials() async throws(AccessTokenError) -> CheckedCredentials {
        let source = credentials.withLock { $0.source }
        _ = try await source.current()
        return CheckedCredentials(
            projectID: source.account.projectID, clientEmail: source.account.clientEmail,
            lifetime: source.remaining ?? .zero)
    }

    /// Sends a message of its own kind, `test`, to one device, outside of the outbox and of the sending rate.
    ///
    /// Android shows title and body by itself when the app does not run.
    ///
    /// - Parameters:
    ///   - token: The app's registration token.
    ///   - title: The alert's first line.
    ///   - body: What is below it.
    ///   - dryRun: Google checks the message and the token, and sends nothing.
    /// - Returns: What a push with the same answer would come to.
    public func test(token: String, title: String, body: String, dryRun: Bool) async -> SendOutcome {
        let message = FCMMessage(
            token: token, data: [.init("type", "test"), .init("title", title), .init("body", body)],
            notification: .init(title: title, body: body), timeToLive: FCMCarrier.testSeconds)
        return await outcome(of: message.encoded(isDryRun: dryRun))
    }

    /// How long a test is kept for a device that is away: the person who tests is looking at the phone.
    private static let testSeconds: UInt64 = 300
}
