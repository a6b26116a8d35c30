internal import CCurl
import Clocks

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A TLS connection that speaks HTTP/2, as raw bytes: libcurl resolves the name, connects, does TLS and verifies the
/// certificate.
///
/// For one thread.
final class CurlTransport {
    /// How far the connection is.
    enum Progress: Equatable {
        case opening
        case open
        case failed(TransportFailure)
    }

    /// What a read or a write did.
    enum Outcome: Equatable {
        case moved(Int)
        /// Nothing can be moved now.
        case blocked
        /// The peer has closed the connection, orderly or not.
        case closed
        case failed(TransportFailure)
    }

    /// `@unchecked`: all that other threads do with the pointer is `curl_multi_wakeup`, which libcurl allows.
    struct Wakeable: @unchecked Sendable {
        fileprivate let multi: UnsafeMutableRawPointer

        /// Ends ``CurlTransport/wait(milliseconds:forWriting:)``; a failure only delays that to its time limit.
        func wake() { curl_multi_wakeup(multi) }
    }

    private let multi: UnsafeMutableRawPointer
    private let easy: UnsafeMutableRawPointer
    private let connection: UnsafeMutablePointer<ccurl_connection>
    /// What CURLOPT_RESOLVE was given, which libcurl does not copy.
    private var resolve: UnsafeMutablePointer<curl_slist>?
    private var descriptor = CURL_SOCKET_BAD
    private var isBegun = false

    init(_ settings: HTTP2Settings) throws(CurlError) {
        try CurlLibrary.check()
        guard let multi = curl_multi_init() else { throw .outOfMemory }
        guard let easy = curl_easy_init() else {
            curl_multi_cleanup(multi)
            throw .outOfMemory
        }
        self.multi = multi
        self.easy = easy
        connection = .allocate(capacity: 1)
        connection.initialize(to: ccurl_connection())
        connection.pointee.send_buffer_bytes = HTTP2Settings.sendBufferBytes
        if settings.addresses == .publicOnly { connection.pointee.may_connect = Self.isPublic }
        try apply(settings)
    }

    deinit {
        // Taking out a handle that only connects closes its connection.
        if isBegun { curl_multi_remove_handle(multi, easy) }
        curl_easy_cleanup(easy)
        curl_multi_cleanup(multi)
        curl_slist_free_all(resolve)
        connection.deallocate()
    }

    var wakeable: Wakeable { Wakeable(multi: multi) }

    private func apply(_ settings: HTTP2Settings) throws(CurlError) {
        func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
            try CurlError.check(ccurl_set_long(easy, option, value))
        }
        func set(_ option: CURLoption, _ value: String) throws(CurlError) {
            try CurlError.check(ccurl_set_string(easy, option, value))
        }
        try set(CURLOPT_URL, settings.origin)
        try set(CURLOPT_PROTOCOLS_STR, "https")
        try set(CURLOPT_NOPROXY, "*")  // a proxy from the environment would be between us and the service
        try set(CURLOPT_NOSIGNAL, 1)  // else each send changes the handler of SIGPIPE twice
        try set(CURLOPT_CONNECT_ONLY, 1)
        // libcurl must not know that HTTP/2 is spoken: it would speak it itself.
        try set(CURLOPT_SSL_ENABLE_ALPN, 0)
        try CurlError.check(ccurl_set_connection(easy, connection))

        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        if let path = settings.certificateAuthorityPath { try set(CURLOPT_CAINFO, path) }
        try set(CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: settings.connectTimeout.millisecondsRoundedUp))
        for entry in settings.resolve {
            guard let longer = curl_slist_append(resolve, entry) else { throw .outOfMemory }
            resolve = longer
        }
        if resolve != nil { try CurlError.check(ccurl_set_list(easy, CURLOPT_RESOLVE, resolve)) }
    }

    /// For libcurl, which asks with each address that it is about to connect to.
    private static let isPublic: @convention(c) (UnsafePointer<sockaddr>?, CUnsignedInt) -> Bool = { address, length in
        guard let address else { return false }
        let bytes = UnsafeRawBufferPointer(start: address, count: Int(length))
        return IPAddress(socketAddress: bytes)?.isPublic == true
    }

    /// Goes on opening the connection.
    func advance() -> Progress {
        if descriptor != CURL_SOCKET_BAD { return .open }
        if !isBegun {
            guard curl_multi_add_handle(multi, easy) == CURLM_OK else { return .failed(CurlError.setUpFailed.failure) }
            isBegun = true
        }
        var running: CInt = 0
        let code = curl_multi_perform(multi, &running)
        guard code == CURLM_OK else { return .failed(.other(code: Int(code.rawValue))) }
        var result = CURLE_OK
        guard ccurl_take_result(multi, &result) else { return .opening }
        guard result == CURLE_OK else {
            var systemError = 0
            _ = ccurl_get_long(easy, CURLINFO_OS_ERRNO, &systemError)
            if connection.pointee.has_refused_address, !connection.pointee.has_allowed_address {
                return .failed(.addressRefused)
            }
            return .failed(TransportFailure(result, systemError: Int32(truncatingIfNeeded: systemError)))
        }
        guard connection.pointee.has_http2 else { return .failed(.notHTTP2) }
        guard ccurl_get_socket(easy, &descriptor) == CURLE_OK, descriptor != CURL_SOCKET_BAD else {
            return .failed(.reset)
        }
        return .open
    }

    /// Writes some of the bytes.
    ///
    /// After `blocked`, the next call must offer the same bytes at the same address again: OpenSSL insists.
    func send(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        var count = 0
        let code = curl_easy_send(easy, bytes.baseAddress, bytes.count, &count)
        return switch code {
        case CURLE_OK: .moved(count)
        case CURLE_AGAIN: .blocked
        default: .failed(TransportFailure(code, systemError: 0))
        }
    }

    /// Reads some bytes.
    ///
    /// OpenSSL may hold more than the socket shows: read until `blocked`.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        var count = 0
        let code = curl_easy_recv(easy, buffer.baseAddress, buffer.count, &count)
        return switch code {
        case CURLE_OK: count > 0 ? .moved(count) : .closed
        case CURLE_AGAIN: .blocked
        case CURLE_RECV_ERROR: .closed  // libcurl 8 calls an end without close_notify so
        default: .failed(TransportFailure(code, systemError: 0))
        }
    }

    /// Waits for bytes, for room if `forWriting`, for a wake-up, or for the time to pass.
    ///
    /// While the connection is being opened, that is whatever libcurl waits for. False: libcurl cannot wait any more.
    func wait(milliseconds: CInt, forWriting: Bool) -> Bool {
        ccurl_wait(multi, descriptor, forWriting, milliseconds) == CURLM_OK
    }
}
