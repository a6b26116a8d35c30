/// Why there is no answer, or only a part of one.
public enum TransportError: Error, Hashable, Sendable {
    /// No network, no such host, a failed TLS handshake, or a connection that broke; with a sentence.
    case unreachable(String)
    /// The answer, or a stream's next piece, did not come in time.
    case timedOut
    /// The answer is longer than the request allows; with that limit in bytes.
    case tooLong(Int)
    /// The calling task was cancelled.
    case cancelled
}

extension TransportError: CustomStringConvertible {
    /// What happened, in a sentence.
    public var description: String {
        switch self {
        case .unreachable(let sentence): sentence
        case .timedOut: "The service did not answer in time."
        case .tooLong(let limit): "The answer has more than \(limit) bytes."
        case .cancelled: "The call was cancelled."
        }
    }
}
