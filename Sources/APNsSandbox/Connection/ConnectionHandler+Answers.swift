import FoundationEssentials
import NIOCore
import NIOHPACK
import NIOHTTP2

extension ConnectionHandler {
    /// Applies a rule to the request on `id`, now or after its delay.
    func obey(_ rule: SandboxRule, on id: HTTP2StreamID) {
        if rule.delivered, let carrier = streams[id]?.request.carrier {
            let effect = rule.effect
            file(id, effect.status(of: carrier), effect.reason, effect.ending, accepted: true)
        }
        guard rule.delay > .zero, let loop = context?.eventLoop else { return perform(rule.effect, on: id) }
        let answer = loop.assumeIsolated().scheduleTask(in: TimeAmount(rule.delay)) { [weak self] in
            guard let self, case .waiting? = streams[id]?.phase else { return }
            streams[id]?.phase = .answering
            perform(rule.effect, on: id)
        }
        streams[id]?.phase = .waiting(answer)
    }

    private func perform(_ effect: SandboxEffect, on id: HTTP2StreamID) {
        let carrier = streams[id]?.request.carrier ?? .apns
        switch effect {
        case .accept: answer(.usual(carrier), on: id)
        case .answer(let answer): self.answer(answer, on: id)
        case .silence: mute(id, .silence)
        case .resetStream(let code): reset(id, code: HTTP2ErrorCode(networkCode: Int(code)), .reset)
        case .halfBody(let answer, let ending): sendHalf(answer, ending, on: id)
        case .goAway(let goAway):
            sendGoAway(goAway)
            if streams[id] != nil { answer(.usual(carrier), on: id) }
            closeIfIdle()
        case .closeConnection:
            endUnanswered(id, .closed)
            cut()
        }
    }

    /// Answers a notification, logs it, and adjusts the stream limit.
    func answer(_ answer: SandboxAnswer, on id: HTTP2StreamID) {
        let apnsID = streams[id]?.entry?.id
        let carrier = streams[id]?.request.carrier ?? .apns
        file(id, answer.validStatus, answer.reason, .answered, accepted: carrier.accepts(answer.status))
        respond(answer, apnsID: apnsID, on: id)
        highestAnswered = max(highestAnswered, Int(id))
        limit.answered(success: answer.status == carrier.successStatus)
        announceLimit()
    }

    /// Writes a complete answer and forgets the stream.
    func respond(_ answer: SandboxAnswer, apnsID: String? = nil, on id: HTTP2StreamID) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        let body = core.bodyText(of: answer, on: stream)
        let headers = makeHeaders(answer, on: stream, apnsID: apnsID ?? stream.request.id)
        send(.headers(.init(headers: headers, endStream: body.isEmpty)), on: id)
        if !body.isEmpty { send(.data(.init(data: .byteBuffer(ByteBuffer(string: body)), endStream: true)), on: id) }
        // RFC 9113, 8.1: an answer before the request's end is followed by RST_STREAM with NO_ERROR.
        if !stream.isComplete {
            context?.flush()  // RST_STREAM would overtake DATA that is not flushed, and drop it.
            send(.rstStream(.noError), on: id)
        }
        flush()
        closeIfIdle()
    }

    private func makeHeaders(
        _ answer: SandboxAnswer, on stream: OpenStream, apnsID: String?, length: Int? = nil
    ) -> HPACKHeaders {
        var headers = HPACKHeaders()
        headers.add(name: ":status", value: "\(answer.validStatus)")
        let carrier = stream.request.carrier
        switch carrier {
        case .apns: break
        case .webPush where carrier.accepts(answer.status):
            headers.add(
                name: "location", value: "\(core.origin)/message/\(UUID().uuidString.lowercased())",
                indexing: .nonIndexable)
        default: headers.add(name: "content-type", value: "application/json; charset=UTF-8")
        }
        if carrier == .apns, let apnsID { headers.add(name: "apns-id", value: apnsID, indexing: .nonIndexable) }
        if let length { headers.add(name: "content-length", value: "\(length)", indexing: .nonIndexable) }
        switch answer.retryAfter {
        case .seconds(let seconds): headers.add(name: "retry-after", value: "\(seconds)")
        case .date(let seconds):
            let date = core.configuration.now().addingTimeInterval(Double(seconds))
            headers.add(name: "retry-after", value: HTTPDate.format(date))
        case nil: break
        }
        return headers
    }

    private func sendHalf(_ answer: SandboxAnswer, _ ending: SandboxEffect.HalfBodyEnding, on id: HTTP2StreamID) {
        guard let stream = streams[id] else { return }
        let body = Array(core.bodyText(of: answer, on: stream).utf8)
        let apnsID = stream.entry?.id
        file(id, 0, answer.reason, .halfBody, accepted: false)
        send(.headers(.init(headers: makeHeaders(answer, on: stream, apnsID: apnsID, length: body.count))), on: id)
        let half = ByteBuffer(bytes: body.prefix(body.count / 2))
        if half.readableBytes > 0 { send(.data(.init(data: .byteBuffer(half))), on: id) }
        context?.flush()
        switch ending {
        case .reset: reset(id, code: .internalError, .halfBody)
        case .silence: mute(id, .halfBody)
        case .close:
            streams[id] = nil
            cut()
        }
    }

    private func mute(_ id: HTTP2StreamID, _ ending: ReceivedNotification.Ending) {
        file(id, 0, nil, ending, accepted: false)
        streams[id]?.phase = .mute
        closeIfIdle()
    }

    private func reset(_ id: HTTP2StreamID, code: HTTP2ErrorCode, _ ending: ReceivedNotification.Ending) {
        endUnanswered(id, ending)
        send(.rstStream(code), on: id)
        flush()
        closeIfIdle()
    }

    /// Sends GOAWAY and drops the streams above the last one it names.
    func sendGoAway(_ goAway: SandboxGoAway) {
        // RFC 9113, 6.8: a later GOAWAY must not raise the last stream.
        let last = min(goAway.lastID(newest: highestSeen, answered: highestAnswered), goAwayLast ?? Int(Int32.max))
        goAwayLast = last
        for id in streams.keys.sorted() where Int(id) > last { endUnanswered(id, .goAway) }
        let opaqueData = goAway.debugData.map { ByteBuffer(string: $0) }
        let code = HTTP2ErrorCode(networkCode: Int(goAway.errorCode))
        send(.goAway(lastStreamID: HTTP2StreamID(last), errorCode: code, opaqueData: opaqueData), on: .rootStream)
        if goAway.closesConnection { closesWhenIdle = true }
        flush()
    }

    /// Closes after a GOAWAY, once no stream is left to answer.
    func closeIfIdle() {
        guard closesWhenIdle else { return }
        for stream in streams.values {
            guard case .mute = stream.phase else { return }
        }
        closesWhenIdle = false
        context?.flush()
        context?.close(promise: nil)
    }

    /// Closes the TCP connection without GOAWAY or close_notify.
    func cut() {
        transport.cut()
    }

    /// Forgets a stream that gets no answer, and logs its request if that is still to be done.
    func endUnanswered(_ id: HTTP2StreamID, _ ending: ReceivedNotification.Ending) {
        guard let stream = streams[id] else { return }
        if case .waiting(let answer) = stream.phase { answer.cancel() }
        if stream.entry == nil, case .receiving = stream.phase, !stream.request.isControl {
            streams[id]?.entry = core.makeEntry(
                stream.request, to: facts.environment, connection: number, stream: Int(id),
                at: core.configuration.now())
        }
        file(id, 0, nil, ending, accepted: false)
        streams[id] = nil
    }

    private func file(
        _ id: HTTP2StreamID, _ status: Int, _ reason: String?, _ ending: ReceivedNotification.Ending, accepted: Bool
    ) {
        guard var entry = streams[id]?.entry, let delivers = streams[id]?.delivers else { return }
        streams[id]?.entry = nil
        (entry.status, entry.reason, entry.ending, entry.isAccepted) = (status, reason, ending, accepted && delivers)
        core.journal.record(entry)
    }
}

extension SandboxAnswer {
    /// A carrier's usual answer.
    static func usual(_ carrier: SandboxCarrier) -> SandboxAnswer { SandboxAnswer(status: carrier.successStatus) }

    /// The status if it is a final one, else 500.
    fileprivate var validStatus: Int { (200...599).contains(status) ? status : 500 }
}

extension SandboxGoAway {
    fileprivate func lastID(newest: Int, answered: Int) -> Int {
        switch lastStream {
        case .all: Int(Int32.max)
        case .newest: newest
        case .answered: answered
        case .stream(let id): id <= 0 ? 0 : min(id, Int(Int32.max)) - (id.isMultiple(of: 2) ? 1 : 0)
        }
    }
}

extension SandboxEffect {
    /// The status that the client of a carrier will get, for a request that is logged before its answer.
    fileprivate func status(of carrier: SandboxCarrier) -> Int {
        switch self {
        case .accept: carrier.successStatus
        case .answer(let answer): answer.validStatus
        default: 0
        }
    }

    fileprivate var reason: String? {
        if case .answer(let answer) = self { answer.reason } else { nil }
    }

    fileprivate var ending: ReceivedNotification.Ending {
        switch self {
        case .accept, .answer: .answered
        case .silence: .silence
        case .resetStream: .reset
        case .halfBody: .halfBody
        case .goAway: .goAway
        case .closeConnection: .closed
        }
    }
}
