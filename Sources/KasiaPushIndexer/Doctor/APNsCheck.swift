import APNs

/// Whether Apple accepts the credentials, asked with a notification to a device that cannot exist.
struct APNsCheck: Sendable {
    /// Right in form; no device has it.
    static let impossibleToken = String(repeating: "0", count: 64)

    let configuration: IndexerConfiguration

    func finding() async -> Finding {
        guard let settings = configuration.apns else {
            return Finding(
                .warn, "apns", "not configured", todo: "set apns.*: without it no push is sent and nothing is queued")
        }
        do {
            let outcome = try await SingleSend(settings: settings, configuration: configuration)
                .send(token: APNsCheck.impossibleToken, payload: try SingleSend.testPayload(body: "doctor"))
            return APNsCheck.finding(for: outcome, origin: settings.origin)
        } catch {
            return Finding(.fail, "apns", "\(error)", todo: "correct apns.*")
        }
    }

    /// Apple looks at the credentials before it looks at the device.
    static func finding(for outcome: SendOutcome, origin: String) -> Finding {
        switch outcome {
        case .delivered, .tokenInvalid(.badDeviceToken), .tokenGone:
            Finding(.ok, "apns", "\(origin) accepts the credentials")
        case .tokenInvalid, .requestMistake, .payloadTooLarge, .configurationRefused, .providerTokenExpired, .notSent,
            .transport:
            Finding(.fail, "apns", "\(origin): \(outcome.label) \(outcome.reasonLabel)", todo: outcome.words)
        case .connectionMismatch, .idleTimeout, .deviceThrottled, .providerTokenThrottled, .serverUnavailable,
            .unknown:
            Finding(.warn, "apns", "\(origin): \(outcome.label) \(outcome.reasonLabel)", todo: outcome.words)
        }
    }
}
