/// The figures of `/metrics/prometheus` that the demo shows.
struct DemoFigures: Hashable, Sendable {
    private struct Series: Hashable, Sendable {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    private let series: [Series]

    /// Reads Prometheus' text format.
    ///
    /// Other lines are skipped.
    init(metrics: String) {
        series = metrics.split(separator: "\n").compactMap { line in
            guard !line.hasPrefix("#"), let space = line.lastIndex(of: " "),
                let value = Double(line[line.index(after: space)...])
            else { return nil }
            let parts = line[..<space].split(separator: "{", maxSplits: 1)
            return Series(
                name: String(parts[0]), labels: parts.count > 1 ? Self.labels(parts[1].dropLast()) : [:], value: value)
        }
    }

    /// The DAA score up to which the virtual chain has been read.
    var score: UInt64 { UInt64(sum("kasia_virtual_chain_daa_score")) }

    /// The number of notifications that the carriers have accepted.
    var delivered: Int { book("deliveries", "delivered") }

    /// The number of queued events and deliveries.
    var waiting: Int { book("events", "queued") + book("deliveries", "queued") }

    /// Whether every event and delivery is in exactly one state.
    var balance: Bool {
        ["events", "deliveries"].allSatisfy { name in
            let states = series.filter { $0.name == Self.books && $0.labels["book"] == name }
            let (created, others) = (book(name, "created"), states.filter { $0.labels["state"] != "created" })
            return others.reduce(0) { $0 + Int($1.value) } == created
        }
    }

    /// What the chain brought: `26 messages, 16 payments, 6 contact requests and 6 others; 137 reorganisations`.
    ///
    /// Each transaction counts once, however often a reorganisation removes it and adds it again.
    var chain: String {
        let kinds = ["contextual_message", "payment", "handshake"].map { Int(sum(Self.events, ["kind": $0])) }
        let others = Int(sum(Self.events)) - kinds.reduce(0, +)
        return "\(Counted(kinds[0], "message")), \(Counted(kinds[1], "payment")), "
            + "\(Counted(kinds[2], "contact request")) and \(Counted(others, "other")); "
            + "\(Counted(Int(sum("kasia_reorganizations_total")), "reorganisation"))"
    }

    /// The deliveries by state: `90 made = 63 delivered + 27 suppressed (24 own_message, 3 missing_capability)`.
    var deliveries: String {
        let others = ["queued", "dead", "expired", "suppressed"].filter { book("deliveries", $0) > 0 }
        let states = (["delivered"] + others).map { "\(book("deliveries", $0)) \($0)\(reasons($0))" }
        return "\(book("deliveries", "created")) made = " + states.joined(separator: " + ")
    }

    /// The reasons of deliveries in a state, the most frequent first.
    private func reasons(_ state: String) -> String {
        let reasons = series.filter { $0.name == Self.booksByReason && $0.labels["state"] == state && $0.value > 0 }
            .sorted { $0.value > $1.value }.map { "\(Int($0.value)) \($0.labels["reason"] ?? "")" }
        return reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
    }

    private static let (books, booksByReason) = ("kasia_push_books", "kasia_push_books_by_reason")
    /// The metric of events.
    private static let events = "kasia_push_events_total"

    private func book(_ name: String, _ state: String) -> Int {
        Int(sum(Self.books, ["book": name, "state": state]))
    }

    private func sum(_ name: String, _ labels: [String: String] = [:]) -> Double {
        series.filter { series in series.name == name && labels.allSatisfy { series.labels[$0.key] == $0.value } }
            .reduce(0) { $0 + $1.value }
    }

    /// The labels of a line.
    ///
    /// The values that are read here contain neither commas nor quotation marks.
    private static func labels(_ text: Substring) -> [String: String] {
        let pairs = text.split(separator: ",").map { $0.split(separator: "=", maxSplits: 1) }
        return Dictionary(
            pairs.filter { $0.count == 2 }.map { (String($0[0]), $0[1].filter { $0 != "\"" }) },
            uniquingKeysWith: { first, _ in first })
    }
}
