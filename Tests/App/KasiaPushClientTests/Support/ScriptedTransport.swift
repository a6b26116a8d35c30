import Foundation
import KasiaPushClient

/// A transport whose answers are a test's.
struct ScriptedTransport: Transport {
    var onAnswer: @Sendable (TransportRequest) async throws(TransportError) -> TransportAnswer = { _ in
        TransportAnswer(status: 500)
    }
    var onStream: @Sendable (TransportRequest) async throws(TransportError) -> TransportStream = { _ in
        TransportStream(status: 500) { () async throws(TransportError) -> Data? in nil }
    }

    func answer(to request: TransportRequest) async throws(TransportError) -> TransportAnswer {
        try await onAnswer(request)
    }

    func stream(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
        try await onStream(request)
    }
}

extension ScriptedTransport {
    /// Answers every call alike.
    init(_ status: Int, _ headers: [String: String] = [:], _ body: String = "") {
        onAnswer = { _ in
            TransportAnswer(status: status, headers: TransportHeaders(headers), body: Data(body.utf8))
        }
    }

    /// Fails every call.
    init(_ error: TransportError) {
        onAnswer = { _ throws(TransportError) in throw error }
        onStream = { _ throws(TransportError) in throw error }
    }
}

extension TransportStream {
    /// A stream of events that are there already.
    init(events: String, headers: [String: String] = ["Content-Type": "text/event-stream"], status: Int = 200) {
        let pieces = PieceQueue()
        pieces.send(events)
        pieces.end()
        self.init(status: status, headers: TransportHeaders(headers)) { () async throws(TransportError) -> Data? in
            try await pieces.next()
        }
    }
}

/// The pieces of a stream, which a test sends one by one.
final class PieceQueue: Sendable {
    private let pieces: AsyncStream<Result<Data, TransportError>>
    private let sender: AsyncStream<Result<Data, TransportError>>.Continuation

    init() {
        (pieces, sender) = AsyncStream.makeStream(of: Result<Data, TransportError>.self)
    }

    func send(_ text: String) {
        sender.yield(.success(Data(text.utf8)))
    }

    /// Ends the stream, with an error or as the service does.
    func end(_ error: TransportError? = nil) {
        if let error { sender.yield(.failure(error)) }
        sender.finish()
    }

    func next() async throws(TransportError) -> Data? {
        for await piece in pieces { return try piece.get() }
        if Task.isCancelled { throw .cancelled }
        return nil
    }
}
