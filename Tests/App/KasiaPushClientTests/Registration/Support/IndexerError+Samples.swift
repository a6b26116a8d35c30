@testable import KasiaPushClient

extension IndexerError {
    static func refusal(
        _ status: Int, _ code: IndexerErrorCode, _ message: String, retryAfter: Duration? = nil
    ) -> IndexerError {
        IndexerError(.refused, message: message, status: status, code: code, retryAfter: retryAfter)
    }

    static let usedNonce = refusal(
        401, .freshNonceNeeded, "auth.nonce is unknown or was used: ask for a new challenge")
    static let staleCounter = refusal(
        401, .staleCounter, "auth.device_auth.counter must be greater than at its last use")
    static let unreachable = IndexerError(.unreachable, message: "There is no network.")
    static let timedOut = IndexerError(.timedOut, message: "No answer came in time.")
    static let killed = IndexerError(.cancelled, message: "The process has ended.")
}
