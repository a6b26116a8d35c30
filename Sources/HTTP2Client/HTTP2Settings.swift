/// What every connection to one server has in common.
package struct HTTP2Settings: Sendable {
    /// The push service's name, for messages; its lower-case form begins the keys of their metadata.
    package var service: String
    /// The https origin: `https://HOST:PORT`, without a path.
    package var origin: String
    /// A PEM file with the authority that signed the server's certificate; nil is the system's authorities.
    package var certificateAuthorityPath: String?
    /// Concurrent requests on one connection; the server's own limit is respected below that.
    package var streams: Int
    /// The longest that name look-up, TCP and TLS may take together, and then the server's SETTINGS.
    package var connectTimeout: Duration
    /// The longest from the sending of a request to the first header of its answer.
    package var firstByteTimeout: Duration
    /// The longest from the sending of a request to the end of its answer.
    package var requestTimeout: Duration
    /// The lower-case names of the answers' fields that are kept.
    package var answerFields: [String]

    /// After how long without a byte from the server it is asked by PING whether it lives: while requests wait for it,
    /// and while none do.
    ///
    /// An idle connection is kept open by this, too.
    package var pingWhenWaiting: Duration = .seconds(10)
    package var pingWhenIdle: Duration = .seconds(60)
    /// How long a PING may stay without an answer, or any other byte, before the connection counts as lost.
    package var pingTimeout: Duration = .seconds(10)

    /// Asked before each request is sent: one that may not begin is handed back, unsent.
    package var mayBegin: @Sendable () -> Bool = { true }
    /// Whether a connection carries one request at a time until the first success: Apple's rule.
    package var provesConnections = true
    /// The addresses that may be connected to.
    package var addresses: AddressRule = .any
    /// Addresses of names that are not looked up, each as `HOST:PORT:ADDRESS[,ADDRESS]`, the form of CURLOPT_RESOLVE.
    ///
    /// For tests, and for addresses that the operator has fixed. ``addresses`` holds for these, too.
    package var resolve: [String] = []

    /// SO_SNDBUF, which Linux doubles: room for some 500 notifications of 1 kB.
    static let sendBufferBytes: CInt = 262_144

    package init(
        service: String, origin: String, certificateAuthorityPath: String? = nil, streams: Int,
        connectTimeout: Duration = .seconds(10), firstByteTimeout: Duration = .seconds(30),
        requestTimeout: Duration = .seconds(30), answerFields: [String] = []
    ) {
        self.service = service
        self.origin = origin
        self.certificateAuthorityPath = certificateAuthorityPath
        self.streams = streams
        self.connectTimeout = connectTimeout
        self.firstByteTimeout = firstByteTimeout
        self.requestTimeout = requestTimeout
        self.answerFields = answerFields
    }

    /// The origin without its scheme.
    var authority: String { String(origin.dropFirst("https://".count)) }

    /// How often the deadlines are looked at.
    var deadlineInterval: Duration {
        let shortest = min(firstByteTimeout, requestTimeout, pingWhenWaiting, pingTimeout)
        return min(max(shortest / 10, .milliseconds(10)), .milliseconds(250))
    }

    /// A key of a message's metadata.
    func key(_ name: String) -> String { "\(service.lowercased()).\(name)" }
}
