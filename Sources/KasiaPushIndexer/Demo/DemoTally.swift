/// Counts the pushes that have arrived at the stand-in, by device and kind.
struct DemoTally: Sendable {
    private(set) var acceptedBy: [DemoCarrier: Int] = [:]
    private(set) var refused = 0
    /// The newest transaction that was pushed.
    private(set) var transaction: String?
    private var counts: [String: [DemoPush.Kind: Int]] = [:]

    var accepted: Int { acceptedBy.values.reduce(0, +) }

    mutating func add(_ push: DemoPush) {
        guard push.refusal == nil else {
            refused += 1
            return
        }
        acceptedBy[push.carrier, default: 0] += 1
        transaction = push.transaction ?? transaction
        counts[push.token, default: [:]][push.kind, default: 0] += 1
    }

    /// All pushes in words: `9 pushes arrived (Apple 5, Google 2, Web Push 2), 0 refused`.
    var text: String {
        let carriers = DemoCarrier.allCases.map { "\($0.name) \(acceptedBy[$0] ?? 0)" }.joined(separator: ", ")
        return "\(Counted(accepted, "push", "pushes")) arrived (\(carriers)), \(refused) refused"
    }

    /// A device's pushes in words: `22: 12 messages, 6 payments, 4 contact requests`.
    func text(of token: String) -> String {
        let kinds = counts[token] ?? [:]
        let known = [
            Counted(kinds[.message] ?? 0, "message"), Counted(kinds[.payment] ?? 0, "payment"),
            Counted(kinds[.contactRequest] ?? 0, "contact request"),
        ]
        let others = kinds[.other] ?? 0
        let parts = known + (others > 0 ? [Counted(others, "other")] : [])
        return "\(kinds.values.reduce(0, +)): " + parts.map(\.description).joined(separator: ", ")
    }
}
