/// One rule of a table: a sentence, and the decision that it makes.
package struct PushRule<Subject: Sendable, Decision: Sendable>: Sendable {
    /// The rule in a sentence.
    package let sentence: String
    /// The decision; nil when the rule does not apply to the subject, and the next rule is asked.
    package let decide: @Sendable (Subject) -> Decision?

    /// Takes the sentence and the code that implements it.
    package init(_ sentence: String, _ decide: @escaping @Sendable (Subject) -> Decision?) {
        self.sentence = sentence
        self.decide = decide
    }
}

/// Rules in the order in which they are asked: the first that decides counts.
package struct PushRules<Subject: Sendable, Decision: Sendable>: Sendable {
    /// The rules in the order in which they are asked.
    package let rules: [PushRule<Subject, Decision>]
    private let otherwise: Decision

    /// Takes the rules, and the decision for subjects that no rule applies to.
    package init(_ rules: [PushRule<Subject, Decision>], otherwise: Decision) {
        self.rules = rules
        self.otherwise = otherwise
    }

    /// The decision about a subject.
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
