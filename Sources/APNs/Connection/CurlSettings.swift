internal import CCurl
import Clocks

/// What every transfer to one host has in common.
struct CurlSettings: Sendable {
    var origin: String
    var certificateAuthorityPath: String?
    var streams: Int
    var connectTimeout: Duration
    var firstByteTimeout: Duration
    var requestTimeout: Duration

    /// How long written bytes may stay unacknowledged before the system gives the connection up.
    static let deadPeerMilliseconds: UInt32 = 20_000
    /// How long a connection may be idle before the system asks the peer whether it lives, and how often then.
    private static let keepAliveSeconds = 60
    private static let keepAliveIntervalSeconds = 15
    /// How long an idle connection stays usable: libcurl's own 118 seconds would reopen it again and again.
    private static let idleConnectionSeconds = 24 * 60 * 60

    init(_ configuration: APNsConfiguration, host: APNsHost) {
        origin = configuration.origin(of: host)
        certificateAuthorityPath = configuration.certificateAuthorityPath
        streams = configuration.streams
        connectTimeout = configuration.connectTimeout
        firstByteTimeout = configuration.firstByteTimeout
        requestTimeout = configuration.requestTimeout
    }

    /// How often the deadlines are looked at.
    var deadlineInterval: Duration {
        min(max(min(firstByteTimeout, requestTimeout) / 10, .milliseconds(10)), .milliseconds(250))
    }

    /// Sets what stays the same for all exchanges of a handle.
    ///
    /// HTTP/2's PING is out of reach: in 7.88 `curl_easy_upkeep` sees only the connections of `curl_easy_perform`, not
    /// those of a multi handle. A dead peer is found by TCP instead (keep-alive while idle, `TCP_USER_TIMEOUT` while
    /// something is unacknowledged), and by each request's own deadline.
    func apply(to easy: UnsafeMutableRawPointer) throws(CurlError) {
        func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
            try CurlError.check(ccurl_set_long(easy, option, value))
        }
        func set(_ option: CURLoption, _ value: String) throws(CurlError) {
            try CurlError.check(ccurl_set_string(easy, option, value))
        }
        try set(CURLOPT_PROTOCOLS_STR, "https")
        try set(CURLOPT_NOPROXY, "*")  // a proxy from the environment would be between us and Apple
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_VERBOSE, 1)  // for ``CurlTrace``; nothing is printed
        try set(CURLOPT_POST, 1)
        try set(CURLOPT_FOLLOWLOCATION, 0)

        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        try set(CURLOPT_PIPEWAIT, 1)
        // Not RTSP at all, but this value is what libcurl asks for before it silently repeats a request whose reused
        // connection was lost: such a request may have been processed, so its repetition is its sender's decision.
        // A refused stream is still repeated inside, and caught when it wants a new socket.
        try set(CURLOPT_RTSP_REQUEST, Int(CURL_RTSPREQ_RECEIVE))

        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        if let certificateAuthorityPath { try set(CURLOPT_CAINFO, certificateAuthorityPath) }

        try set(CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: connectTimeout.millisecondsRoundedUp))
        try set(CURLOPT_TCP_KEEPALIVE, 1)
        try set(CURLOPT_TCP_KEEPIDLE, Self.keepAliveSeconds)
        try set(CURLOPT_TCP_KEEPINTVL, Self.keepAliveIntervalSeconds)
        try set(CURLOPT_MAXAGE_CONN, Self.idleConnectionSeconds)
    }

    /// Sets up the multi handle: one host, one connection, many streams.
    func apply(toMulti multi: UnsafeMutableRawPointer) throws(CurlError) {
        try CurlError.check(ccurl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX)))
        try CurlError.check(ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1))
        try CurlError.check(ccurl_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, streams))
    }
}
