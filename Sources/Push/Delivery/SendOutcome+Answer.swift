import APNs

extension SendOutcome {
    /// Bytes of what is told of an answer: what the delivery log keeps of a reason.
    private static let longestAnswer = 64

    /// What came back, for the logs and whoever asks why: printable ASCII, at most 64 bytes.
    ///
    /// The reason's name; where push.md's table does not know the answer, its status and the name that Apple gave. Not
    /// for the labels of attempts, as the names that Apple may come up with are without number; the store's books count
    /// by it, up to 64 names.
    var answer: String {
        guard case .unknown(let status, let name, _) = self else { return reasonLabel }
        let text = "HTTP \(status)\(name.map { " \($0)" } ?? "")"
        let kept = text.utf8.lazy.filter { (0x20...0x7e).contains($0) }.prefix(SendOutcome.longestAnswer)
        return String(decoding: Array(kept), as: UTF8.self)
    }
}
