/// One request on its HTTP/2 stream, and its answer as far as it has come.
///
/// Used for one exchange after another.
final class RequestStream {
    private(set) var exchange: Exchange?
    /// nghttp2's number of the stream.
    var id: Int32 = 0
    /// The index among its session's active ones.
    var position = 0
    /// When the request was given to the session.
    private(set) var startedAt = ContinuousClock.now
    /// When its HEADERS were written; nil before that: the server cannot have seen it.
    var sentAt: ContinuousClock.Instant?
    /// Bytes of the body that were written.
    private(set) var bodySent = 0

    private var status = 0
    private var body: [UInt8] = []
    private var fields: [HeaderField] = []
    /// The answer's end has come.
    var isAnswered = false
    /// The answer's body was longer than what is read of one, and was ended by us.
    private(set) var isTooLong = false

    func load(_ exchange: Exchange, at now: ContinuousClock.Instant) {
        self.exchange = exchange
        startedAt = now
    }

    /// Takes the exchange off, with how it ended, and forgets everything about it; `isProcessed`: the server may have
    /// processed it.
    func unload(isProcessed: Bool) -> (exchange: Exchange, ending: Session.Ending) {
        guard let exchange else { preconditionFailure("a stream without a request ended") }
        defer {
            self.exchange = nil
            sentAt = nil
            bodySent = 0
            status = 0
            body = []
            fields = []
            isAnswered = false
            isTooLong = false
        }
        return (exchange, ending(isProcessed: isProcessed))
    }

    private func ending(isProcessed: Bool) -> Session.Ending {
        let answer = status >= 200 ? HTTPAnswer(status: status, body: body, fields: fields) : nil
        // A reset after the answer's end changes nothing, and our own end of a body that is too long is one.
        if isAnswered || isTooLong, let answer { return .answered(answer) }
        if sentAt == nil { return .notSent }
        if !isProcessed { return .unprocessed }
        return answer.map(Session.Ending.cutShort) ?? .lost
    }

    var hasFirstByte: Bool { status > 0 }
    var isBodySent: Bool {
        guard let exchange, exchange.request.method == .post else { return true }
        return bodySent == exchange.request.body.count
    }

    /// Copies the next bytes of the body to where nghttp2 wants them.
    func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        guard let exchange else { return 0 }
        let count = min(room.count, exchange.request.body.count - bodySent)
        exchange.request.body.withUnsafeBytes {
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[bodySent..<bodySent + count]))
        }
        bodySent += count
        return count
    }

    /// A field of the answer came; `isWanted` tells which are kept.
    func receive(
        name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>, wanted: [String]
    ) {
        if name.elementsEqual(":status".utf8) {
            status = value.count == 3 ? value.reduce(0) { $0 * 10 + Int($1) - 0x30 } : 0
            return
        }
        guard let kept = wanted.first(where: { name.elementsEqual($0.utf8) }), fields.count < wanted.count,
            (1...HTTPAnswer.maximumValueBytes).contains(value.count),
            value.allSatisfy({ (0x20...0x7e).contains($0) })
        else { return }
        fields.append(HeaderField(kept, String(decoding: value, as: UTF8.self)))
    }

    /// Bytes of the answer's body came; false if it is longer than what is read of one.
    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard body.count + bytes.count <= HTTPAnswer.maximumBodyBytes else {
            isTooLong = true
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }
}
