internal import CCurl

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Why a request got no answer.
///
/// Whether Apple processed it is unknown, save where a case says otherwise.
public enum TransportFailure: Error, Sendable, Hashable {
    /// Nobody listens there; nothing was sent.
    case refused
    /// No route to the host, or the network is down; nothing was sent.
    case unreachable
    /// The connection, or this stream of it, ended before the answer.
    case reset
    /// The stream was refused, or is above GOAWAY's last id: not processed, safe to send at once.
    case goAwayUnprocessed
    /// The connection was not ready, or the answer not there, in time.
    case timeout
    /// The host name has no address; nothing was sent.
    case dns
    /// The TLS handshake failed, or the certificate is not to be trusted; nothing was sent. The code is libcurl's.
    case tls(code: Int)
    /// The server does not speak HTTP/2: not Apple's.
    case notHTTP2
    /// Every address of the host is one that may not be connected to; nothing was sent.
    case addressRefused
    /// Anything else; the code is libcurl's `CURLcode`.
    case other(code: Int)

    /// The metric label: one of ten words.
    public var label: String {
        switch self {
        case .refused: "refused"
        case .unreachable: "unreachable"
        case .reset: "reset"
        case .goAwayUnprocessed: "goaway_unprocessed"
        case .timeout: "timeout"
        case .dns: "dns"
        case .tls: "tls"
        case .notHTTP2: "not_http2"
        case .addressRefused: "address_refused"
        case .other: "other"
        }
    }

    /// What happened, for the log.
    public var words: String {
        switch self {
        case .refused: "connection refused"
        case .unreachable: "no route to the host"
        case .reset: "connection reset"
        case .goAwayUnprocessed: "connection closed before the request was taken"
        case .timeout: "timed out"
        case .dns: "name not found"
        case .tls(let code) where code == Int(CURLE_PEER_FAILED_VERIFICATION.rawValue): "certificate not trusted"
        case .tls(let code): "TLS failed: \(TransportFailure.text(ofCode: code))"
        case .notHTTP2: "no HTTP/2 spoken there"
        case .addressRefused: "the name leads to an address that is not public"
        case .other(let code): TransportFailure.text(ofCode: code)
        }
    }

    /// The request's header fields are longer than a connection takes; nothing was sent.
    static let headersTooLong = other(code: Int(CURLE_BAD_FUNCTION_ARGUMENT.rawValue))

    /// libcurl's words for one of its codes.
    private static func text(ofCode code: Int) -> String {
        String(cString: curl_easy_strerror(CURLcode(UInt32(clamping: code))))
    }

    /// The meaning of libcurl's result for a transfer that has no status; `systemError` is `CURLINFO_OS_ERRNO`.
    init(_ code: CURLcode, systemError: Int32) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: self = .dns
        case CURLE_COULDNT_CONNECT: self = systemError == ECONNREFUSED ? .refused : .unreachable
        case CURLE_OPERATION_TIMEDOUT: self = .timeout
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_USE_SSL_FAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
            self = .tls(code: Int(code.rawValue))
        case CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING,
            CURLE_PARTIAL_FILE, CURLE_OK:
            // A success without an answer is how 7.88 reports a stream that a GOAWAY ended.
            self = .reset
        default: self = .other(code: Int(code.rawValue))
        }
    }
}
