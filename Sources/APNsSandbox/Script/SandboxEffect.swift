/// What a rule does with a request that its carrier would accept.
public enum SandboxEffect: Sendable, Equatable {
    /// The usual answer, a success. With a delay, it is a slow success.
    case accept
    /// This answer.
    case answer(SandboxAnswer)
    /// No answer, ever; the stream stays open.
    case silence
    /// RST_STREAM with this HTTP/2 error code (7 is REFUSED_STREAM: "not processed, send again").
    case resetStream(errorCode: UInt32)
    /// The answer's headers with the full `content-length`, half of its body, then `ending`.
    case halfBody(SandboxAnswer, ending: HalfBodyEnding)
    /// GOAWAY. The request itself is answered as usual unless its stream is above the last one that GOAWAY names.
    case goAway(SandboxGoAway)
    /// The TCP connection ends, without GOAWAY and without TLS's close_notify.
    case closeConnection

    /// How a stream ends after half a body.
    public enum HalfBodyEnding: String, Sendable, CaseIterable {
        /// RST_STREAM with INTERNAL_ERROR.
        case reset
        /// Nothing more is sent.
        case silence
        /// The TCP connection ends.
        case close
    }
}
