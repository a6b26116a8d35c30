import NIOCore

/// One HTTP/2 stream from its headers to its answer.
struct OpenStream {
    /// Where the request is.
    enum Phase {
        /// Its body is still coming.
        case receiving
        /// It has arrived, and its answer waits for this.
        case waiting(Scheduled<Void>)
        /// It has arrived and is being answered.
        case answering
        /// It will never be answered.
        case mute
    }

    var request: IncomingRequest
    var phase = Phase.receiving
    /// Whether the client has sent END_STREAM.
    var isComplete = false
    /// What will be filed when the request ends; nil once it is.
    var entry: ReceivedNotification?
}
