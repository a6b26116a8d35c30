/// One attempt to send one request, and who waits for its end.
package final class Exchange: Sendable {
    /// How an attempt ended.
    package enum Ending: Sendable {
        /// An answer came, or if not complete only its beginning, whether or not the connection survived it.
        case answered(HTTPAnswer, isComplete: Bool)
        /// It was sent, or could not be, and no answer came.
        case failed(TransportFailure)
        /// It was not sent: its connection takes no more. Another one will.
        case handedBack
        /// It was in flight when the client gave up.
        case abandoned
    }

    /// How an attempt ended, and on which connection.
    package struct Result: Sendable {
        package var ending: Ending
        /// The connection's number; nil if it never had one.
        package var connection: Int?
    }

    let request: HTTPRequest
    let shared: SharedFields
    /// When it is handed back if it has not been sent until then.
    let sendBy: ContinuousClock.Instant
    /// Told once, on the connection's thread or on the one that submits.
    let ended: @Sendable (Result) -> Void

    package init(
        request: HTTPRequest, shared: SharedFields, sendBy: ContinuousClock.Instant,
        ended: @escaping @Sendable (Result) -> Void
    ) {
        self.request = request
        self.shared = shared
        self.sendBy = sendBy
        self.ended = ended
    }
}
