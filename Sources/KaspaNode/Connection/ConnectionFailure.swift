import GRPCCore

/// Why a connection could not be made or broke, in an operator's words.
///
/// gRPC, NIO and TLS wrap the cause in errors of their own; what is read here is their text, which names it whatever
/// wraps it.
enum ConnectionFailure {
    /// What stands in the text, in lower case, and what to say for it; the first that fits.
    private static let causes: [(text: String, words: String)] = [
        ("connection refused", "connection refused"),
        ("couldn't resolve address", "name not found"),
        ("failed to resolve server name", "name not found"),
        ("failedtovalidatehostname", "certificate of another name"),
        ("certificate_verify_failed", "certificate not trusted"),
        ("certificate_expired", "certificate expired"),
        ("wrong_version_number", "no TLS spoken there"),
        ("handshakefailed", "TLS handshake failed"),
        ("connection reset", "connection reset"),
        ("broken pipe", "connection reset"),
        ("dropped unexpectedly", "connection reset"),
        ("keepalive timeout", "timed out"),
        ("timed out", "timed out"),
        ("connecttimeout", "timed out"),
        ("no route to host", "no route to the host"),
        ("network is unreachable", "no route to the host"),
        ("connection preface", "connection closed at once: no gRPC, or TLS, spoken there"),
    ]

    /// The cause; what the node or the library says where it is another one.
    static func words(_ error: any Error) -> String {
        let text = "\(error)"
        let lowercase = text.lowercased()
        return causes.first { lowercase.contains($0.text) }?.words ?? (error as? RPCError)?.message ?? text
    }
}
