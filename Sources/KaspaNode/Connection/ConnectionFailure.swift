import GRPCCore

/// Why a connection failed, in an operator's words.
///
/// gRPC, NIO and TLS each wrap the cause in errors of their own. Their text names it in every case, so the text is
/// searched.
enum ConnectionFailure {
    /// What to look for in the lower-case text, and the words for it.
    ///
    /// The first match counts.
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

    /// The cause in our words, or the node's or library's own text if it is none of these.
    static func words(_ error: any Error) -> String {
        let text = "\(error)"
        let lowercase = text.lowercased()
        return causes.first { lowercase.contains($0.text) }?.words ?? (error as? RPCError)?.message ?? text
    }
}
