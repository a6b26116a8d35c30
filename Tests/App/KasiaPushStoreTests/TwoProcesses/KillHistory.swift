/// What the processes said, and where it breaks what the store promises.
struct KillHistory {
    private(set) var added: Set<Int64> = []
    private(set) var taken: Set<Int64> = []
    private(set) var confirmed: Set<Int64> = []
    private(set) var sent: Set<Int64> = []
    private(set) var pending: Set<Int64> = []
    private(set) var intents: Set<Int64> = []
    var problems: [String] = []

    mutating func note(_ line: String) {
        let words = line.split(separator: " ")
        guard words.count == 2, let number = Int64(words[1]) else { return problems.append(line) }
        switch words[0] {
        case "added": added.insert(number)
        case "took":
            if confirmed.contains(number) { problems.append("\(number) was taken after its confirmation") }
            taken.insert(number)
        case "confirmed":
            if !confirmed.insert(number).inserted { problems.append("\(number) was confirmed twice") }
        case "sent": sent.insert(number)
        case "pending": pending.insert(number)
        case "intent": intents.insert(number)
        default: problems.append(line)
        }
    }
}
