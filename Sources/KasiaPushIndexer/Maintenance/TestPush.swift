import API
import APNs
import Carriers
import FCM
import Logging
import Store
import WebPush

/// A test notification to one device, without the outbox.
struct TestPush: Sendable {
    /// What a carrier said.
    struct Answer: Sendable {
        /// Where it was sent.
        let place: String
        /// What that means, and what to do.
        let words: String
        let isDelivered: Bool
    }

    let configuration: IndexerConfiguration
    let title: String
    let body: String

    private var quiet: Logger { Logger(label: "kasia.push") { _ in SwiftLogNoOpLogHandler() } }

    /// Errors: the operator's mistake.
    func toApple(_ token: String, at host: APNsHost?) async throws -> [Answer] {
        guard let settings = configuration.apns else { throw TestPush.notSet("apns.*") }
        let outcomes = try await SingleSend(settings: settings, configuration: configuration).send(
            token: token, payload: try SingleSend.testPayload(body: body), hosts: [host ?? settings.host])
        return outcomes.map { host, outcome in
            Answer(place: settings.origin(of: host), words: outcome.words, isDelivered: outcome.isDelivered)
        }
    }

    /// Errors: the operator's mistake.
    func toGoogle(_ token: String, dryRun: Bool) async throws -> [Answer] {
        guard let settings = configuration.fcm else { throw TestPush.notSet("fcm.*") }
        let carrier = try FCMCarrier(
            configuration: try FCMConfiguration(settings, configuration.push), logger: quiet)
        let outcome = try await withCarrier(carrier) {
            await $0.test(token: token, title: title, body: body, dryRun: dryRun)
        }
        let words = dryRun && outcome.isDelivered ? "Google would take it; nothing was sent." : outcome.words
        return [Answer(place: settings.connection.endpoint, words: words, isDelivered: outcome.isDelivered)]
    }

    /// Without keys, those of the registration.
    ///
    /// Errors: the operator's mistake.
    func toEndpoint(_ endpoint: String, p256dh: String?, auth: String?) async throws -> [Answer] {
        guard let settings = configuration.webPush else { throw TestPush.notSet("web_push.*") }
        let keys = try await keys(of: endpoint, p256dh: p256dh, auth: auth)
        let carrier = try WebPushCarrier(
            configuration: try WebPushConfiguration(settings, configuration.push), logger: quiet)
        if let refusal = carrier.refusal(of: endpoint) {
            throw StartError(description: "the endpoint \(refusal)")
        }
        let outcome = try await withCarrier(carrier) {
            await $0.test(endpoint: endpoint, keys: keys, title: title, body: body)
        }
        return [Answer(place: "the push service", words: outcome.words, isDelivered: outcome.isDelivered)]
    }

    private func keys(of endpoint: String, p256dh: String?, auth: String?) async throws
        -> DeviceRecord.SubscriptionKeys
    {
        typealias Keys = DeviceRecord.SubscriptionKeys
        if let p256dh, let auth {
            guard let publicKey = Base64Text.decode(p256dh), publicKey.count == Keys.publicKeyBytes,
                let secret = Base64Text.decode(auth), secret.count == Keys.secretBytes
            else { throw StartError(description: "--p256dh must be 65 bytes and --auth 16, in base64url") }
            return Keys(publicKey: publicKey, secret: secret)
        }
        let store = try await configuration.store.open(
            network: configuration.network.type, readOnly: true, older: .keep)
        guard let keys = try await store.registry.device(DeviceID(token: Array(endpoint.utf8)))?.subscriptionKeys
        else { throw StartError(description: "this endpoint is not registered: give --p256dh and --auth") }
        return keys
    }

    private static func notSet(_ section: String) -> StartError {
        StartError(description: "\(section) is not set: there is nothing to send with", isConfiguration: true)
    }
}
