import HTTP2Client

/// What a push service said to one push.
struct WebPushAnswer: Sendable, Equatable {
    /// The HTTP status.
    var status: Int
    /// When it asks to be tried again.
    var retryAfter: RetryAfter?

    /// The answers' header fields that mean something.
    static let fields = ["retry-after"]

    /// Takes the parts as they are.
    init(status: Int, retryAfter: RetryAfter? = nil) {
        self.status = status
        self.retryAfter = retryAfter
    }

    /// Reads an answer; its body says nothing.
    init(_ answer: HTTPAnswer) {
        self.init(status: answer.status, retryAfter: answer["retry-after"].flatMap(RetryAfter.init))
    }

    /// Whether it refuses our key or our token.
    var refusesVAPID: Bool { status == 401 || status == 403 }
    /// Whether it shows that the service has accepted them.
    var isSuccess: Bool { (200..<300).contains(status) }
}
