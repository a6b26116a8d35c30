/// One line of the doctor's.
struct Finding: Equatable, Sendable, CustomStringConvertible {
    enum Level: String, Sendable {
        case ok
        /// It works, but not well, or not for long.
        case warn
        /// The service does not do its work like this.
        case fail
    }

    let level: Level
    /// What was looked at, in a word or two.
    let subject: String
    let text: String
    /// What to do; nil where nothing has to be done.
    let todo: String?

    init(_ level: Level, _ subject: String, _ text: String, todo: String? = nil) {
        (self.level, self.subject, self.text, self.todo) = (level, subject, text, todo)
    }

    /// `LEVEL  SUBJECT: TEXT — WHAT TO DO`, one line whatever a node or a system says.
    var description: String {
        let name = level.rawValue.padding(to: 4)
        let line = "\(name)  \(subject): \(text)" + (todo.map { " — \($0)" } ?? "")
        return String(line.map { $0.isNewline ? " " : $0 })
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
