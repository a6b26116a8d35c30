/// Why a call of the service failed.
public struct IndexerError: Error, Hashable, Sendable {
    /// What went wrong.
    public enum Kind: String, Hashable, Sendable {
        /// The service answered with an error; `status` is there, and usually `code` and `message`.
        case refused
        /// There was no answer: no network, no such host, a failed TLS handshake, or a connection that broke.
        ///
        /// The service may have done what it was asked.
        case unreachable
        /// The answer did not come in time; the service may have done what it was asked.
        case timedOut
        /// The answer is none that the service gives: another type, a redirect, too long, or not decodable.
        case unexpectedAnswer
        /// The calling task was cancelled; the service may have done what it was asked.
        case cancelled
    }

    /// What went wrong.
    public var kind: Kind
    /// The HTTP status, if there was an answer.
    public var status: Int?
    /// The service's word for the error, which stays the same between versions.
    public var code: IndexerErrorCode?
    /// One sentence: the service's own if it gave one, else what happened here.
    public var message: String
    /// The text that had to be signed, with the code `wrong_signature`.
    public var expectedText: String?
    /// How long the service asks to wait before the next call.
    public var retryAfter: Duration?
    /// The answer's `x-request-id`, which the service's log names.
    public var requestID: String?

    /// Makes an error; everything that an answer would have told is nil by default.
    public init(
        _ kind: Kind, message: String, status: Int? = nil, code: IndexerErrorCode? = nil, expectedText: String? = nil,
        retryAfter: Duration? = nil, requestID: String? = nil
    ) {
        self.kind = kind
        self.message = message
        self.status = status
        self.code = code
        self.expectedText = expectedText
        self.retryAfter = retryAfter
        self.requestID = requestID
    }

    /// Whether the same request may succeed later, unchanged: 408, 429, 5xx, no answer, or one of another server.
    ///
    /// A signed request needs a fresh challenge all the same. Of a refusal with another status nothing changes by
    /// waiting.
    public var isTemporary: Bool {
        switch kind {
        case .unreachable, .timedOut, .unexpectedAnswer: true
        case .cancelled: false
        case .refused: status.map { $0 == 408 || $0 == 429 || $0 >= 500 } ?? false
        }
    }
}

extension IndexerError: CustomStringConvertible {
    /// The status, the code and the sentence; the text to sign is left out, since it names addresses.
    public var description: String {
        let parts = [status.map(String.init), code?.rawValue ?? kind.rawValue].compactMap { $0 }
        return "\(parts.joined(separator: " ")): \(message)"
    }
}
