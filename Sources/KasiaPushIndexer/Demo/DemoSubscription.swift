import Foundation
import HTTP2Client
import KasiaPushClient
import Logging

/// A browser's subscription, made by the stand-in.
struct DemoSubscription: Sendable {
    /// The last part of the endpoint, which the stand-in's lines have.
    let id: String
    /// What the browser would give to the page.
    let subscription: WebPushSubscription

    /// Reads the stand-in's answer; nil if it is no subscription.
    init?(json: String) {
        guard let subscription = try? JSONDecoder().decode(WebPushSubscription.self, from: Data(json.utf8)),
            let id = subscription.endpoint.split(separator: "/").last
        else { return nil }
        self.id = String(id)
        self.subscription = subscription
    }

    /// Has the stand-in make a subscription for one VAPID key.
    ///
    /// Errors: `StartError` when it does not.
    static func make(at sandbox: DemoSandbox) async throws -> DemoSubscription {
        let sender = OriginSender(
            connections: 1,
            settings: HTTP2Settings(
                service: "Sandbox", origin: sandbox.origin, certificateAuthorityPath: sandbox.authorityPath, streams: 1),
            logger: Logger(label: "kasia.demo", factory: { _ in SwiftLogNoOpLogHandler() }))
        let body = #"{"application_server_key":"\#(sandbox.applicationServerKey)"}"#
        let ending = await sender.send(
            HTTPRequest(path: "/control/subscriptions", fields: [], body: Array(body.utf8)),
            with: SharedFields([], generation: 1))
        await sender.stop(drainTimeout: .zero)
        guard case .answered(let answer, isComplete: true) = ending, answer.status == 200,
            let subscription = DemoSubscription(json: String(decoding: answer.body, as: UTF8.self))
        else { throw StartError(description: "the stand-in made no subscription: \(ending)") }
        return subscription
    }
}
