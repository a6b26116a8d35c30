import FoundationEssentials

extension SandboxCore {
    /// The log entry of a request that has not ended.
    func makeEntry(
        _ request: IncomingRequest, to environment: SandboxEnvironment?, connection: Int, stream: Int, at now: Date
    ) -> ReceivedNotification {
        switch request.carrier {
        case .apns: break
        case .webPush, .unifiedPush:
            return makeWebPushEntry(request, connection: connection, stream: stream, at: now)
        case .fcm, .googleToken:
            return makeGoogleEntry(request, connection: connection, stream: stream, at: now)
        }
        return ReceivedNotification(
            number: 0, token: RequestCheck.deviceToken(in: request.path) ?? "",
            id: request.id.flatMap { RequestCheck.isCanonicalUUID($0) ? $0 : nil } ?? UUID().uuidString.lowercased(),
            collapseID: request.collapseID, expiration: request.expiration.flatMap(RequestCheck.seconds),
            priority: request.priority.flatMap { Int($0) }, pushType: request.pushType, topic: request.topic,
            body: configuration.keepsBodies ? request.body : [], bodyLength: request.bodyLength, receivedAt: now,
            environment: environment, connection: connection, stream: stream, status: 0, reason: nil,
            ending: .abandoned, isAccepted: false)
    }

    private func makeGoogleEntry(
        _ request: IncomingRequest, connection: Int, stream: Int, at now: Date
    ) -> ReceivedNotification {
        // An assertion is a secret while it lives, so it is not kept.
        let keepsBody = configuration.keepsBodies && request.carrier == .fcm
        return ReceivedNotification(
            number: 0, carrier: request.carrier, token: "", id: "", body: keepsBody ? request.body : [],
            bodyLength: request.bodyLength, receivedAt: now, connection: connection, stream: stream, status: 0,
            reason: nil, ending: .abandoned, isAccepted: false)
    }

    private func makeWebPushEntry(
        _ request: IncomingRequest, connection: Int, stream: Int, at now: Date
    ) -> ReceivedNotification {
        ReceivedNotification(
            number: 0, carrier: request.carrier, token: WebPushService.id(in: request.path), id: request.topic ?? "",
            collapseID: request.topic, urgency: request.urgency, timeToLive: request.timeToLive.flatMap { Int($0) },
            body: configuration.keepsBodies ? request.body : [], bodyLength: request.bodyLength, receivedAt: now,
            connection: connection, stream: stream, status: 0, reason: nil, ending: .abandoned, isAccepted: false)
    }
}
