import HTTP2Client
import Synchronization

/// The question that a distributor of UnifiedPush answers.
extension WebPushCarrier {
    /// The longest that the question takes.
    static let checkTimeout = Duration.seconds(5)
    /// The most endpoints that are asked at once: each has a thread meanwhile.
    static let maximumChecks = 16

    /// Asks an endpoint once, by GET, whether a distributor of UnifiedPush answers there.
    ///
    /// The rules for its origin and its address are those of pushes. It takes five seconds at most. While ``run()``
    /// runs, the connection is closed afterwards.
    public func checkUnifiedPush(_ endpoint: String) async -> UnifiedPushAnswer {
        if let refusal = refusal(of: endpoint) { return .no(refusal) }
        guard let endpoint = try? Endpoint(endpoint) else { return .no("is no endpoint") }
        guard checks.add(1, ordering: .relaxed).newValue <= WebPushCarrier.maximumChecks else {
            checks.subtract(1, ordering: .relaxed)
            return .no("could not be asked: too many are being asked now")
        }
        var settings = settings(for: endpoint.origin)
        settings.connectTimeout = min(settings.connectTimeout, WebPushCarrier.checkTimeout)
        settings.firstByteTimeout = min(settings.firstByteTimeout, WebPushCarrier.checkTimeout)
        settings.requestTimeout = min(settings.requestTimeout, WebPushCarrier.checkTimeout)
        let sender = connect(1, settings, connectionLogger)
        let answer = await ask(endpoint, by: sender)
        // The thread may be looking a name up still: nobody waits for that, but it counts until then.
        let end: OwnedTasks.Work = { [self] in
            await sender.stop(.zero)
            checks.subtract(1, ordering: .relaxed)
        }
        if !stops.add(end) { await end() }
        return answer
    }

    private func ask(_ endpoint: Endpoint, by sender: OriginTransport) async -> UnifiedPushAnswer {
        await withTaskGroup(of: OriginSender.Ending?.self) { group in
            group.addTask {
                await sender.send(HTTPRequest(getting: endpoint.path), with: SharedFields([], generation: 1))
            }
            group.addTask { [stops] in
                if (try? await Task.sleep(for: WebPushCarrier.checkTimeout)) != nil {
                    _ = stops.add { await sender.stop(.zero) }
                }
                return nil
            }
            defer { group.cancelAll() }
            while let ending = await group.next() {
                if let ending { return UnifiedPushAnswer(ending) }
            }
            return .no("did not answer in time")
        }
    }
}
