/// Whether the service does what it is for, part by part; what `/ready` answers.
package struct Readiness: Sendable {
    /// One part of the service.
    package struct Part: Sendable {
        package var name: String
        package var isReady: Bool
        /// `ok`, `not configured`, or what is wrong, in a few words.
        package var state: String

        package init(name: String, isReady: Bool, state: String) {
            self.name = name
            self.isReady = isReady
            self.state = state
        }
    }

    package var parts: [Part]

    package init(parts: [Part]) {
        self.parts = parts
    }

    package var isReady: Bool { parts.allSatisfy(\.isReady) }

    var answer: JSONAnswer {
        .object([
            ("ready", .boolean(isReady)),
            (
                "parts",
                .object(
                    parts.map { part in
                        (part.name, .object([("ready", .boolean(part.isReady)), ("state", .string(part.state))]))
                    })
            ),
        ])
    }
}
