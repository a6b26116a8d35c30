/// One finding of `doctor`.
struct Finding: Equatable, Sendable, CustomStringConvertible {
    enum Level: String, Sendable {
        case ok
        /// The service works, but not well or not for long.
        case warn
        /// The service does not work.
        case fail
    }

    let level: Level
    /// What was checked, in a word or two.
    let subject: String
    let text: String
    /// What to do; nil if there is nothing to do.
    let todo: String?

    init(_ level: Level, _ subject: String, _ text: String, todo: String? = nil) {
        (self.level, self.subject, self.text, self.todo) = (level, subject, text, todo)
    }

    /// `LEVEL  SUBJECT: TEXT — WHAT TO DO`, always on one line.
    var description: String {
        let name = level.rawValue.padding(to: 4)
        let line = "\(name)  \(subject): \(text)" + (todo.map { " — \($0)" } ?? "")
        return String(line.map { $0.isNewline ? " " : $0 })
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
