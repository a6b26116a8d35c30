import GRPCCore
import Testing

@testable import KaspaNode

@Suite("Why a connection broke")
struct ConnectionFailureTests {
    /// What a library says.
    private struct Said: Error, CustomStringConvertible {
        let description: String
    }

    @Test(
        "is told in words, whatever wraps it",
        arguments: [
            (
                #"unavailable: "Could not establish a connection to [ipv4]127.0.0.1:1." (cause: "connection reset (error set): Connection refused) (errno: 111)")"#,
                "connection refused"
            ),
            (
                #"unavailable: "Failed to resolve server name" (cause: "internalError: "Couldn't resolve address for nowhere.invalid:16110" (cause: "Name or service not known")")"#,
                "name not found"
            ),
            (
                #"unavailable: "The server accepted the TCP connection but closed the connection before completing the HTTP/2 connection preface." (cause: "read(descriptor:pointer:size:): Connection reset by peer) (errno: 104)")"#,
                "connection reset"
            ),
            (
                #"(cause: "handshakeFailed(NIOSSL.BoringSSLError.sslError([Error: 268435581 error:1000007d:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED at handshake.cc:320]))")"#,
                "certificate not trusted"
            ),
            (
                #"(cause: "NIOSSLExtraError.failedToValidateHostname: Couldn't find <none> in certificate from peer")"#,
                "certificate of another name"
            ),
            ("connectTimeout(NIOCore.TimeAmount(nanoseconds: 10000000000))", "timed out"),
            ("connect(descriptor:addr:size:): Connection timed out (errno: 110)", "timed out"),
            ("connect(descriptor:addr:size:): No route to host (errno: 113)", "no route to the host"),
            (
                #"unavailable: "The server accepted the TCP connection but closed the connection before completing the HTTP/2 connection preface.""#,
                "connection closed at once: no gRPC, or TLS, spoken there"
            ),
            ("something that nobody has met", "something that nobody has met"),
        ])
    func words(said: String, words: String) {
        #expect(ConnectionFailure.words(Said(description: said)) == words)
    }

    @Test("is the node's own sentence where it says one")
    func ownWords() {
        let error = RPCError(code: .unavailable, message: "the node hangs up")
        #expect(ConnectionFailure.words(error) == "the node hangs up")
    }
}
