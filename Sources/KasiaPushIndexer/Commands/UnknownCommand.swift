/// An unknown word in the place of a command.
struct UnknownCommand: Equatable, CustomStringConvertible {
    /// The largest edit distance at which a command is suggested.
    static let mostMistakes = 2

    let word: String
    /// The most similar command; nil if none is similar.
    let suggestion: String?

    /// nil if the first argument is a command, an option, or missing.
    init?(_ arguments: some Collection<String>, of names: [String]) {
        guard let word = arguments.first, !word.hasPrefix("-"), !names.contains(word) else { return nil }
        self.word = word
        let nearest = names.map { (name: $0, mistakes: UnknownCommand.mistakes(between: word, and: $0)) }
            .min { $0.mistakes < $1.mistakes }
        suggestion = nearest.flatMap { $0.mistakes <= UnknownCommand.mostMistakes ? $0.name : nil }
    }

    var description: String {
        let question = suggestion.map { "did you mean \($0)? " } ?? ""
        return "\(word) is no command of kasia-push-indexer: \(question)--help lists them"
    }

    /// The edit distance: the letters to insert, remove or replace to turn one word into the other.
    static func mistakes(between first: String, and second: String) -> Int {
        let second = Array(second.lowercased())
        var row = Array(0...second.count)
        for (index, letter) in first.lowercased().prefix(64).enumerated() {
            var next = [index + 1]
            for (column, other) in second.enumerated() {
                next.append(min(row[column + 1] + 1, next[column] + 1, row[column] + (letter == other ? 0 : 1)))
            }
            row = next
        }
        return row.last ?? 0
    }
}
