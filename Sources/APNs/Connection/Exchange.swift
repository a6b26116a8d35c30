/// One attempt to send one request, and who waits for its end.
struct Exchange: Sendable {
    /// How an attempt ended.
    enum Ending: Sendable {
        /// An answer came, or if not complete only its beginning, whether or not the connection survived it.
        case answered(APNsAnswer, isComplete: Bool)
        /// It was sent, or could not be, and no answer came.
        case failed(TransportFailure)
        /// It was not sent: its connection takes no more. Another one will.
        case handedBack
        /// It was in flight when the client gave up.
        case abandoned
    }

    /// How an attempt ended, and on which connection.
    struct Result: Sendable {
        var ending: Ending
        /// The connection's number; nil if it never had one.
        var connection: Int?
    }

    let request: APNsRequest
    let headers: HeaderList
    /// When it is handed back if it has not been sent until then.
    let sendBy: ContinuousClock.Instant
    /// Told once, on the connection's thread or on the one that submits.
    let ended: @Sendable (Result) -> Void
}
