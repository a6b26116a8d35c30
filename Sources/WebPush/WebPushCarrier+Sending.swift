import Clocks
import Dispatch
import HTTP2Client
import Kaspa
import Logging
import Synchronization
import Troubles

public import Carriers
public import Store

/// How a push is sent.
extension WebPushCarrier {
    /// The longest time that a push service is asked to keep a push, in seconds: 28 days.
    static let longestLife: UInt64 = 28 * 86_400
    /// The longest `topic` (RFC 8030, 5.4), in characters.
    static let topicLength = 32
    /// How long a push service keeps a message of ``test(endpoint:keys:title:body:)``, in seconds.
    static let testLife: UInt64 = 3_600

    /// A message on its way to one endpoint.
    private struct Sending: Sendable {
        let endpoint: Endpoint
        let keys: DeviceRecord.SubscriptionKeys
        let fields: [HeaderField]
        let isOnProbation: Bool
        let message: @Sendable () -> [UInt8]
    }

    /// Seals a push and sends it to the device's endpoint.
    public func send(_ push: OutgoingPush, ended: @escaping @Sendable (SendOutcome) -> Void) {
        guard let endpoint = try? Endpoint(token: push.device.token) else { return ended(.unusable(.unusableEndpoint)) }
        guard let keys = push.device.subscriptionKeys else { return ended(.unusable(.unusableKeys)) }
        let now = clock.wall() / 1_000
        let life = min(push.expiration - min(push.expiration, now), WebPushCarrier.longestLife)
        let topic = Base64URL.encode(push.delivery.transactionID.bytes).prefix(WebPushCarrier.topicLength)
        send(
            Sending(
                endpoint: endpoint, keys: keys,
                fields: [HeaderField("ttl", String(life)), HeaderField("topic", String(topic))],
                isOnProbation: push.isOnProbation,
                message: { [message] in message.encode(push) }), ended)
    }

    /// Sends a message that comes from no transaction, for `push test`.
    public func test(
        endpoint: String, keys: DeviceRecord.SubscriptionKeys, title: String, body: String
    ) async -> SendOutcome {
        guard let endpoint = try? Endpoint(endpoint) else { return .unusable(.unusableEndpoint) }
        let sending = Sending(
            endpoint: endpoint, keys: keys, fields: [HeaderField("ttl", String(WebPushCarrier.testLife))],
            isOnProbation: false, message: { WebPushMessage.encode(title: title, body: body) })
        return await withCheckedContinuation { continuation in
            send(sending) { continuation.resume(returning: $0) }
        }
    }

    private func send(_ sending: Sending, _ ended: @escaping @Sendable (SendOutcome) -> Void) {
        let (endpoint, isOnProbation) = (sending.endpoint, sending.isOnProbation)
        // The list may have changed since the device registered, and may change back.
        guard configuration.allowedOrigins.allows(endpoint) != nil else {
            return ended(.notSent(.retry(atLeast: SendOutcome.operatorPause), .originNotAllowed))
        }
        let origin = endpoint.origin
        let sentAt = clock.uptime()
        let place = origins.withLock { origins in
            origins.take(origin, at: sentAt) {
                connect(configuration.connections, settings(for: origin), connectionLogger)
            }
        }
        switch place {
        case .closed: ended(.handedBack("shutting_down"))
        case .held(let pause):
            ended(.notSent(.notYet(after: .milliseconds(Int64(clamping: pause))), .originHeldBack))
        case .full(let idle):
            if let idle { stop(idle) }
            ended(.notSent(.notYet(after: WebPushCarrier.crowdedPause), .manyOrigins))
        case .send(let sender, let isProbe):
            // Sealing takes a tenth of a millisecond, in which whoever hands over pushes goes on.
            sealing.async { [self] in
                let request: HTTPRequest
                let shared: SharedFields
                do {
                    let body = try MessageEncryption.seal(sending.message(), for: sending.keys)
                    request = HTTPRequest(path: endpoint.path, fields: sending.fields, body: body)
                    shared = try tokens.fields(for: origin)
                } catch {
                    _ = origins.withLock { $0.ended(origin, at: sentAt) { $0.ended(isProbe: isProbe) } }
                    return ended(WebPushCarrier.outcome(of: error))
                }
                sender.send(request, shared) { [self] ending in
                    let judged = Judged(
                        origin: origin, shared: shared, sentAt: sentAt, isProbe: isProbe, isOnProbation: isOnProbation)
                    ended(outcome(of: ending, judged))
                }
            }
        }
    }

    private static func outcome(of error: any Error) -> SendOutcome {
        switch error as? MessageEncryptionError {
        case .unusableKeys: .unusable(.unusableKeys)
        case .tooLong: .notSent(.tooLarge, .tooLarge)
        case .failed, nil: .notSent(.retry(atLeast: SendOutcome.unwellPause), .cryptography)
        }
    }

    // MARK: - Endings

    /// What is known of a push whose end has come.
    private struct Judged {
        let origin: String
        let shared: SharedFields
        let sentAt: UInt64
        let isProbe: Bool
        let isOnProbation: Bool
    }

    private func outcome(of ending: OriginSender.Ending, _ push: Judged) -> SendOutcome {
        switch ending {
        // Everything follows from the status, so an answer that was cut short says the same.
        case .answered(let answer, _): return outcome(of: WebPushAnswer(answer), push)
        case .failed(let failure):
            inconclusive(push)
            log(failure, of: push.origin)
            return .failed(failure, isOnProbation: push.isOnProbation)
        case .abandoned:
            inconclusive(push)
            return .handedBack("abandoned")
        case .stopped:
            inconclusive(push)
            return .handedBack("shutting_down")
        }
    }

    private func outcome(of answer: WebPushAnswer, _ push: Judged) -> SendOutcome {
        guard answer.refusesVAPID else {
            if answer.isSuccess { accepted(push) } else { inconclusive(push) }
            return SendOutcome(answer)
        }
        guard !push.isOnProbation else {
            inconclusive(push)
            return .vapidRefused(answer, isOnProbation: true, pause: nil)
        }
        return .vapidRefused(answer, isOnProbation: false, pause: refused(answer, push))
    }

    private func inconclusive(_ push: Judged) {
        _ = origins.withLock { $0.ended(push.origin, at: clock.uptime()) { $0.ended(isProbe: push.isProbe) } }
    }

    private func accepted(_ push: Judged) {
        let now = clock.uptime()
        let wasClosed = origins.withLock { $0.ended(push.origin, at: now) { $0.accepted(at: now) } }
        guard wasClosed == true else { return }
        logger.notice("Web Push service accepts the VAPID key again", metadata: ["webpush.origin": "\(push.origin)"])
    }

    /// How long this push waits; nil if its subscription alone is refused.
    private func refused(_ answer: WebPushAnswer, _ push: Judged) -> Duration? {
        let now = clock.uptime()
        let pause = origins.withLock { origins in
            origins.ended(push.origin, at: now) {
                $0.refused(sentAt: push.sentAt, isProbe: push.isProbe, at: now)
            } ?? nil
        }
        // A new token may be accepted: this one may have been made by a wrong clock.
        tokens.forget(push.origin, push.shared)
        guard let pause else { return nil }
        if let summary = refusals.met(push.origin) {
            let metadata: Logger.Metadata = [
                "webpush.origin": "\(push.origin)", "http.response.status_code": "\(answer.status)",
            ]
            logger.error("Web Push service refuses the VAPID key or token", metadata: metadata.adding(summary))
        }
        // Twice as long as the others: if it is this subscription after all, another one is the next probe.
        return .milliseconds(Int64(clamping: pause * 2))
    }

    private func log(_ failure: TransportFailure, of origin: String) {
        guard var summary = failures.met(failure.label) else { return }
        // It never ends, since one origin's success says nothing of another's failures.
        summary["trouble.seconds"] = nil
        let metadata: Logger.Metadata = ["webpush.origin": "\(origin)", "error.message": "\(failure.words)"]
        logger.warning("Web Push service could not be reached", metadata: metadata.adding(summary))
    }
}
