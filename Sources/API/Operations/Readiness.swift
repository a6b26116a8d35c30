/// The answer of `/ready`: whether each part of the service works.
package struct Readiness: Sendable {
    /// One part of the service.
    package struct Part: Sendable {
        package var name: String
        package var isReady: Bool
        /// `ok`, `not configured`, or what is wrong, in a few words.
        package var state: String
        /// The part `node`: each configured node, in order of preference.
        package var nodes: [Node]

        package init(name: String, isReady: Bool, state: String, nodes: [Node] = []) {
            self.name = name
            self.isReady = isReady
            self.state = state
            self.nodes = nodes
        }

        /// The JSON, for the status page with a link to the guide.
        func answer(guide: GuideSection? = nil) -> JSONAnswer {
            var members: [(String, JSONAnswer)] = [("ready", .boolean(isReady)), ("state", .string(state))]
            if let guide { members.append(("guide", .string(guide.link))) }
            if !nodes.isEmpty { members.append(("nodes", .array(nodes.map(\.answer)))) }
            return .object(members)
        }
    }

    /// One configured node.
    package struct Node: Sendable {
        package var url: String
        /// `untried`, `followed`, `standby` or `left`.
        package var state: String
        /// Why it is not followed, in a sentence; nil when there is nothing to say.
        package var reason: String?

        package init(url: String, state: String, reason: String?) {
            self.url = url
            self.state = state
            self.reason = reason
        }

        fileprivate var answer: JSONAnswer {
            .object([
                ("url", .string(url)), ("state", .string(state)), ("reason", reason.map { .string($0) } ?? .null),
            ])
        }
    }

    package var parts: [Part]

    package init(parts: [Part]) {
        self.parts = parts
    }

    package var isReady: Bool { parts.allSatisfy(\.isReady) }

    var answer: JSONAnswer {
        .object([("ready", .boolean(isReady)), ("parts", .object(parts.map { ($0.name, $0.answer()) }))])
    }
}
