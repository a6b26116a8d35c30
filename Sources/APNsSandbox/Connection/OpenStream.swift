import NIOCore

/// One HTTP/2 stream from its headers to its answer.
struct OpenStream {
    /// The request's progress.
    enum Phase {
        /// Its body is being received.
        case receiving
        /// It is complete, and its answer is scheduled.
        case waiting(Scheduled<Void>)
        /// It is complete and is being answered.
        case answering
        /// It will never be answered.
        case mute
    }

    var request: IncomingRequest
    var phase = Phase.receiving
    /// Whether the client has sent END_STREAM.
    var isComplete = false
    /// FCM's name for the message, which the answer tells.
    var messageID = ""
    /// Whether success makes a notification of it.
    var delivers = true
    /// The log entry to write when the request ends; nil once it is written.
    var entry: ReceivedNotification?
}
