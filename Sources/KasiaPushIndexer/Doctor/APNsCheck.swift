import APNs

/// Checks whether Apple accepts the credentials, with a notification to a device that cannot exist.
struct APNsCheck: Sendable {
    /// A well-formed token that no device has.
    static let impossibleToken = String(repeating: "0", count: 64)

    let configuration: IndexerConfiguration

    /// The finding for the operator's own host and, if there is another, one for information about that.
    func findings() async -> [Finding] {
        guard let settings = configuration.apns else {
            guard configuration.fcm == nil, configuration.webPush == nil else {
                return [Finding(.ok, "apns", "not configured: Apple's devices get nothing")]
            }
            return [
                Finding(
                    .warn, "apns", "not configured",
                    todo: "set apns.*, fcm.* or web_push.*: without one no push is sent and nothing is queued")
            ]
        }
        let hosts = [settings.host] + (APNsConfiguration(settings).hasTwoServers ? [settings.host.other] : [])
        do {
            let outcomes = try await SingleSend(settings: settings, configuration: configuration).send(
                token: APNsCheck.impossibleToken, payload: try SingleSend.testPayload(body: "doctor"), hosts: hosts)
            return outcomes.map { host, outcome in
                let origin = settings.origin(of: host)
                return host == settings.host
                    ? APNsCheck.finding(for: outcome, origin: origin)
                    : APNsCheck.information(for: outcome, host: host, origin: origin)
            }
        } catch {
            return [Finding(.fail, "apns", "\(error)", todo: "correct apns.*")]
        }
    }

    /// The finding for the host that is not the operator's own.
    ///
    /// The service works whatever it answers.
    static func information(for outcome: APNsOutcome, host: APNsHost, origin: String) -> Finding {
        let finding = finding(for: outcome, origin: origin)
        return finding.level == .ok
            ? Finding(.ok, "apns \(host.label)", finding.text)
            : Finding(
                .ok, "apns \(host.label)",
                "\(finding.text): devices whose tokens are good at this host get nothing, the others do")
    }

    /// The finding for the operator's own host.
    ///
    /// Apple checks the credentials before the device token.
    static func finding(for outcome: APNsOutcome, origin: String) -> Finding {
        switch outcome {
        case .delivered, .deliveredByOtherHost, .tokenInvalid(.badDeviceToken), .tokenGone:
            Finding(.ok, "apns", "\(origin) accepts the credentials")
        case .tokenInvalid, .requestMistake, .payloadTooLarge, .configurationRefused, .providerTokenExpired, .notSent,
            .transport:
            Finding(.fail, "apns", "\(origin): \(outcome.label) \(outcome.reasonLabel)", todo: outcome.words)
        case .otherHostRefused, .connectionMismatch, .idleTimeout, .deviceThrottled, .providerTokenThrottled,
            .serverUnavailable, .unknown:
            Finding(.warn, "apns", "\(origin): \(outcome.label) \(outcome.reasonLabel)", todo: outcome.words)
        }
    }
}
