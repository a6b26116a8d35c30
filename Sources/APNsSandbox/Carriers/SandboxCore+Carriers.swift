import FoundationEssentials

extension SandboxCore {
    /// Reads a request as its carrier does: what the log says of it, and whether it has a fault.
    func read(
        _ request: IncomingRequest, on facts: inout ConnectionFacts, connection: Int, stream: Int, at now: Date
    ) -> RequestReading {
        var reading = RequestReading(
            makeEntry(request, to: facts.environment, connection: connection, stream: stream, at: now))
        switch request.carrier {
        case .apns: reading.refusal = check.fault(of: request, on: &facts, at: now).map(SandboxAnswer.init)
        case .fcm: google?.readMessage(request, &reading, at: now)
        case .googleToken: reading.refusal = google?.tokenFault(of: request, origins: origins(of: request), at: now)
        case .webPush:
            webPush?.readMessage(
                request, &reading, origins: origins(of: request), decrypts: configuration.keepsBodies, at: now)
        case .unifiedPush: break
        }
        return reading
    }

    /// What a client may take for this server's origin: the one that the sandbox names, and the one it was asked at.
    private func origins(of request: IncomingRequest) -> Set<String> {
        var origins: Set<String> = [origin]
        if let authority = request.authority { origins.insert("https://\(authority)") }
        return origins
    }

    /// The body of `answer` in the shape of the stream's carrier; empty for none.
    func bodyText(of answer: SandboxAnswer, on stream: OpenStream) -> String {
        if stream.request.isControl { return answer.bodyText }
        if let body = answer.body { return body }
        let isSuccess = (200...299).contains(answer.status) && answer.reason == nil
        switch stream.request.carrier {
        case .apns, .webPush: return answer.bodyText
        case .fcm:
            return isSuccess
                ? "{\"name\":\(JSONText.quoted(stream.messageID))}" : GoogleError(scripted: answer).json
        case .googleToken:
            if isSuccess { return google?.makeTokenAnswer(at: configuration.now()) ?? "" }
            return answer.reason.map { TokenEndpointError(code: $0, description: "A script says so.").json } ?? ""
        case .unifiedPush: return isSuccess ? #"{"unifiedpush":{"version":1}}"# : answer.bodyText
        }
    }
}
