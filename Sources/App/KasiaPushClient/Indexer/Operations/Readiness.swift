/// Whether the service does its work, part by part.
public struct Readiness: Hashable, Sendable, Codable {
    /// Whether every part is ready.
    public var isReady: Bool
    /// By name: `node`, `chain`, `store`, `apns`, `clock` and what a newer service adds.
    public var parts: [String: Part]

    /// Takes the members of an answer.
    public init(isReady: Bool, parts: [String: Part]) {
        self.isReady = isReady
        self.parts = parts
    }

    /// One part of the service.
    public struct Part: Hashable, Sendable, Codable {
        /// Whether it does its work.
        public var isReady: Bool
        /// `ok`, `not configured`, what is wrong, or how a catch-up goes.
        public var state: String
        /// Where the operator guide helps, relative to `/status.json`, which alone has it.
        public var guide: String?
        /// Of the part `node`: the configured nodes in order of preference.
        public var nodes: [Node]?

        /// Takes the members that every part has.
        public init(isReady: Bool, state: String) {
            self.isReady = isReady
            self.state = state
        }

        private enum CodingKeys: String, CodingKey {
            case state, guide, nodes
            case isReady = "ready"
        }
    }

    /// A node that the service is configured with.
    public struct Node: Hashable, Sendable, Codable {
        /// Its address.
        public var url: String
        /// `untried`, `followed`, `standby` or `left`.
        public var state: String
        /// Why it is not followed, if so.
        public var reason: String?
    }

    private enum CodingKeys: String, CodingKey {
        case parts
        case isReady = "ready"
    }
}
