/// Rows in columns of even width.
///
/// The ratio is the value divided by the yardstick's, both medians.
struct Table {
    private static let head = ["what", "value", "unit", "spread", "yardstick", "its value", "ratio"]
    private static let numeric: Set<Int> = [1, 3, 5, 6]
    private var lines: [[String]] = [head]

    mutating func add(_ row: Row) {
        let theirs = row.yardstick?.samples?.median
        lines.append([
            row.what, Figure.text(row.samples.median), row.unit, row.samples.spread.map(Figure.percent) ?? "–",
            row.yardstick?.name ?? "–", theirs.map(Figure.text) ?? "–",
            theirs.map { $0 != 0 ? Figure.text(row.samples.median / $0) : "–" } ?? "–",
        ])
    }

    var text: String {
        let widths = Self.head.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        let rule = widths.map { String(repeating: "-", count: $0) }
        return ([lines[0], rule] + lines.dropFirst()).map { line in
            line.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - line[column].count)
                return Self.numeric.contains(column) ? padding + line[column] : line[column] + padding
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}

/// Numbers as people read them.
enum Figure {
    /// Three significant digits below a hundred; whole numbers in groups of three above.
    static func text(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "–" }
        if value < 0 { return "−" + text(-value) }
        if value >= 100 { return grouped(Int(value.rounded())) }
        return value >= 10 ? decimal(value, digits: 1) : decimal(value, digits: value >= 0.1 ? 2 : 4)
    }

    static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }

    private static func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    private static func decimal(_ value: Double, digits: Int) -> String {
        let scale = (0..<digits).reduce(1) { product, _ in product * 10 }
        let scaled = Int((value * Double(scale)).rounded())
        let fraction = String(scaled % scale)
        return "\(scaled / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
