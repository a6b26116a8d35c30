/// One rule of a table: what push.md says, and what it decides about those whom it is about.
package struct PushRule<Subject: Sendable, Decision: Sendable>: Sendable {
    /// The rule in a sentence, as push.md has it.
    package let sentence: String
    /// What it decides; nil when it says nothing about the subject, and the next rule is asked.
    package let decide: @Sendable (Subject) -> Decision?

    /// Takes the sentence and the rule that it says.
    package init(_ sentence: String, _ decide: @escaping @Sendable (Subject) -> Decision?) {
        self.sentence = sentence
        self.decide = decide
    }
}

/// Rules in the order in which they are asked: the first that decides counts.
package struct PushRules<Subject: Sendable, Decision: Sendable>: Sendable {
    /// From the first that is asked to the last, which decides about everybody.
    package let rules: [PushRule<Subject, Decision>]
    private let otherwise: Decision

    /// Takes the rules, and what holds where none of them decides.
    package init(_ rules: [PushRule<Subject, Decision>], otherwise: Decision) {
        self.rules = rules
        self.otherwise = otherwise
    }

    /// What the table says about a subject.
    package func decide(_ subject: Subject) -> Decision {
        for rule in rules {
            if let decision = rule.decide(subject) { return decision }
        }
        return otherwise
    }

    /// The number of the rule that decides; nil when none does.
    package func rule(deciding subject: Subject) -> Int? {
        rules.firstIndex { $0.decide(subject) != nil }
    }
}
