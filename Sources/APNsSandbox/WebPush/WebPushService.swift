import FoundationEssentials

/// The Web Push service that the sandbox plays.
final class WebPushService: Sendable {
    private static let urgencies: Set<String> = ["very-low", "low", "normal", "high"]
    private static let topicLength = 1...32
    /// The most bytes of a body that every service takes (RFC 8030, 7.2).
    static let largestBody = 4096

    let subscriptions = Subscriptions()
    private let verifier = VAPIDVerifier()

    /// The subscription's id in a path.
    static func id(in path: String) -> String {
        String(path.prefix { $0 != "?" }.dropFirst(CarrierRoutes.pushPrefix.count))
    }

    /// Reads a message, with its fault if it has one, and decrypts it if asked to.
    func readMessage(
        _ request: IncomingRequest, _ reading: inout RequestReading, origins: Set<String>, decrypts: Bool, at now: Date
    ) {
        let subscription = subscriptions[reading.entry.token]
        reading.refusal = fault(of: request, to: subscription, origins: origins, at: now)?.answer
        guard decrypts, let subscription, !request.bodyIsTooLarge else { return }
        reading.entry.contents = EncryptedContent(request.body)?.decrypted(for: subscription)
    }

    private func fault(
        of request: IncomingRequest, to subscription: Subscriptions.Known?, origins: Set<String>, at now: Date
    ) -> WebPushFault? {
        guard request.method == "POST" else { return .methodNotAllowed }
        guard let subscription else { return .unknownSubscription }
        if subscription.isEnded { return .endedSubscription }
        guard let timeToLive = request.timeToLive else { return .missingTTL }
        guard RequestCheck.seconds(timeToLive) != nil else { return .badTTL }
        return verifier.fault(
            of: request.authorization, origins: origins, restriction: subscription.applicationServerKey, at: now)
            ?? headerFault(request) ?? bodyFault(request)
    }

    private func headerFault(_ request: IncomingRequest) -> WebPushFault? {
        if let urgency = request.urgency, !Self.urgencies.contains(urgency) { return .badUrgency }
        if let topic = request.topic {
            guard Self.topicLength.contains(topic.utf8.count), Base64URL.isText(topic) else { return .badTopic }
        }
        return request.hasDuplicateHeaders ? .duplicateHeaders : nil
    }

    private func bodyFault(_ request: IncomingRequest) -> WebPushFault? {
        // A message without a body only wakes the page.
        if request.bodyLength == 0 { return nil }
        if request.bodyIsTooLarge { return .payloadTooLarge }
        guard request.contentEncoding?.lowercased() == "aes128gcm" else { return .badContentEncoding }
        return EncryptedContent(request.body) == nil ? .badPayload : nil
    }
}
