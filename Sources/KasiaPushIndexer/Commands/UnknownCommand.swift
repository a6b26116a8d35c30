/// A word that stands where a command has to, and is none.
struct UnknownCommand: Equatable, CustomStringConvertible {
    /// A mistyped word differs from the one that was meant by no more letters than this.
    static let mostMistakes = 2

    let word: String
    /// The command that is nearest; nil if none is near.
    let suggestion: String?

    /// nil if the first argument is a command, an option, or is not there.
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

    /// How many letters have to be put in, left out or replaced to make one word of the other.
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
