/// What happened, in numbers, and what to try next.
struct DemoSummary: Sendable {
    let devices: [DemoDevice]
    let tally: DemoTally
    /// Nil when the indexer does not answer.
    let figures: DemoFigures?
    let seconds: Int64

    /// The numbers, a line each.
    var numbers: String {
        var lines = ["What happened in \(seconds) s", "  pushes    \(tally.text)"]
        lines += devices.map { "    \($0.name)  \(tally.text(of: $0.token))" }
        guard let figures else { return (lines + ["  The indexer does not answer."]).joined(separator: "\n") }
        lines += [
            "  chain     \(figures.chain)",
            "  waiting   \(figures.waiting == 0 ? "nothing" : "\(figures.waiting)")",
            "  books     \(figures.balance ? "balance" : "DO NOT BALANCE"): deliveries \(figures.deliveries)",
        ]
        return lines.joined(separator: "\n")
    }

    /// The pages of the indexer, and commands with this demo's own values.
    func next(port: Int) -> String {
        let origin = "http://127.0.0.1:\(port)"
        // Alice's iPhone comes first, and the recording pays her and writes to her.
        let phone = devices[0]
        return """
            The indexer stays up until Ctrl-C. In a browser:
              \(origin)/      the status page
              \(origin)/docs  the REST API
            In another terminal, as they stand:
              curl '\(origin)/v1/push/status?device_token=\(phone.token)'
              curl '\(origin)/v1/\(tally.transaction.map { "messages/\($0)" } ?? "push/missed?device_token=\(phone.token)")'
              curl '\(origin)/v1/activity?address=\(phone.address)&limit=5'
            """
    }
}
