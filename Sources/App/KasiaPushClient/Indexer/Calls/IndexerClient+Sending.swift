import Foundation

extension IndexerClient {
    /// The answer's body as a value; a status other than those accepted is an error.
    func value<Value: Decodable>(
        _ call: Call, accepting statuses: Set<Int> = [200], as type: Value.Type = Value.self
    ) async throws(IndexerError) -> Value {
        let answer = try await answer(call, accept: "application/json", accepting: statuses)
        guard answer.body.isShallowJSON else { throw .unexpected("The answer's JSON is too deep.", answer) }
        do {
            return try JSONDecoder().decode(type, from: answer.body)
        } catch {
            throw .unexpected("The answer is not what the service's document describes.", answer)
        }
    }

    /// Makes a call that the service answers with `{"status": "ok"}`.
    ///
    /// The member is looked at, since a captive portal answers 200 to anything.
    func confirmation(of call: Call) async throws(IndexerError) {
        let _: Confirmed<Nothing> = try await value(call)
    }

    /// The answer's body as text.
    func text(_ call: Call, accept: String) async throws(IndexerError) -> String {
        String(decoding: try await answer(call, accept: accept).body, as: UTF8.self)
    }

    /// The events of a stream, those that `read` does not leave out.
    func events<Event>(
        _ call: Call, read: @escaping @Sendable (StreamBlock) throws(IndexerError) -> Event?
    ) async throws(IndexerError) -> EventStream<Event> {
        var request = try request(call, accept: "text/event-stream", timeout: limits.streamOpening)
        request.maximumBytes = 2 * limits.eventBytes
        let stream: TransportStream
        do throws(TransportError) {
            stream = try await transport.stream(request)
        } catch {
            throw IndexerError(error)
        }
        guard stream.status == 200 else {
            throw IndexerError(refusal: await stream.answer(atMost: IndexerClient.refusalBytes))
        }
        guard stream.headers["Content-Type"]?.lowercased().hasPrefix("text/event-stream") == true else {
            throw .unexpected(
                "The answer is no stream of events.", TransportAnswer(status: 200, headers: stream.headers))
        }
        return EventStream(nextPiece: stream.nextPiece, limit: limits.eventBytes, read: read)
    }

    /// The most that is read of the body of a refused stream.
    private static let refusalBytes = 64 << 10

    func answer(
        _ call: Call, accept: String, accepting statuses: Set<Int> = [200]
    ) async throws(IndexerError) -> TransportAnswer {
        let request = try request(call, accept: accept, timeout: limits.timeout)
        let answer: TransportAnswer
        do throws(TransportError) {
            answer = try await transport.answer(to: request)
        } catch {
            throw IndexerError(error)
        }
        guard statuses.contains(answer.status) else { throw IndexerError(refusal: answer) }
        return answer
    }

    private func request(
        _ call: Call, accept: String, timeout: Duration
    ) throws(IndexerError) -> TransportRequest {
        guard var request = call.request(to: root, timeout: timeout, limits: limits) else {
            throw IndexerError(.unreachable, message: "The service's address is none that can be called.")
        }
        request.headers["Accept"] = accept
        return request
    }
}

/// An answer with the member `status`, which must be `ok`, and with others.
struct Confirmed<Members: Decodable>: Decodable {
    let members: Members

    private enum CodingKeys: String, CodingKey {
        case status
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard try container.decode(String.self, forKey: .status) == "ok" else {
            throw DecodingError.dataCorruptedError(forKey: .status, in: container, debugDescription: "not ok")
        }
        members = try Members(from: decoder)
    }
}

/// An object whose members nobody looks at.
struct Nothing: Decodable {}

extension TransportStream {
    /// The stream's beginning as an answer.
    fileprivate func answer(atMost limit: Int) async -> TransportAnswer {
        var answer = TransportAnswer(status: status, headers: headers)
        // Without the body the status says enough.
        while answer.body.count <= limit, let piece = try? await nextPiece() { answer.body += piece }
        return answer
    }
}

extension Data {
    /// Whether lists and objects are nested at most 32 deep, as all answers of the service are.
    ///
    /// Foundation's decoder needs a time that grows with the square of the depth.
    var isShallowJSON: Bool {
        var depth = 0
        var (isInText, isEscaped) = (false, false)
        for byte in self {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isInText
            case UInt8(ascii: "\""): isInText.toggle()
            case _ where isInText: break
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            if depth > 32 { return false }
        }
        return true
    }
}
