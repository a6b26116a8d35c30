import APNs

extension SendOutcome {
    /// The longest text, in bytes: what the delivery log keeps of a reason.
    private static let longestAnswer = 64

    /// The answer in printable ASCII, at most 64 bytes, for logs and for `explain`.
    ///
    /// It is the reason's name, or for an unknown answer the status and the name that Apple gave. Do not use it as a
    /// label of a metric, since Apple's names are not a fixed set. The store's books count by it, up to 64 names.
    var answerText: String {
        guard case .unknown(let status, let name, _) = self else { return reasonLabel }
        let text = "HTTP \(status)\(name.map { " \($0)" } ?? "")"
        let kept = text.utf8.lazy.filter { (0x20...0x7e).contains($0) }.prefix(SendOutcome.longestAnswer)
        return String(decoding: Array(kept), as: UTF8.self)
    }
}
