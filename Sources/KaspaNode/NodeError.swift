/// Why a node could not be asked or did not answer.
public struct NodeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, which decides what to do about it.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// No node is followed. Ask again after the next `NodeHint.connected`.
        case notConnected
        /// The node did not answer in time.
        case timeout
        /// `NodeConfiguration.maximumOutstandingRequests` are pending: the caller's fault.
        case busy
        /// The task that asked was cancelled.
        case cancelled
        /// The node answered with an error that is none of the following.
        case rejected
        /// The node does not have the block asked from: it is pruned, or was never on the node's chain.
        case startHashUnknown
        /// The node is still syncing. Ask again later.
        case syncing
        /// The node is on another network: the operator's fault.
        case wrongNetwork
        /// The node's answer cannot be understood: the node's fault.
        case malformedAnswer
        /// The connection could not be made or broke.
        case transport
        /// The node sent no block for `NodeConfiguration.stallTimeout`.
        case stalled
        /// The node is far behind another configured one.
        case behind
        /// The node repeatedly gave no usable answer about the chain.
        case unusable
        /// A node that comes earlier in the configuration is healthy again: nobody's fault.
        case preferredNode
        /// A URL in the configuration cannot be read: the operator's fault.
        case invalidURL
        /// The authority's file holds no certificate: the operator's fault.
        case invalidAuthority
    }

    /// The kind of failure.
    package let code: Code

    /// One readable sentence, the node's own where it gave one.
    package let message: String

    /// The longest message that is kept, in characters.
    ///
    /// It is shown in logs and in /ready.
    package static let maximumMessageLength = 500

    /// Cuts `message` to `maximumMessageLength`.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = String(message.prefix(Self.maximumMessageLength))
    }

    /// Finds the code for the text of a node's `RPCError`.
    ///
    /// The protocol has no codes for its errors.
    package init(refusal text: String) {
        let code: Code
        if text.contains("transitional ibd state") {
            code = .syncing
        } else if text.contains("cannot find header") || text.contains("does not have retention root on its chain") {
            code = .startHashUnknown
        } else {
            code = .rejected
        }
        self.init(code, text)
    }

    /// The code and the sentence.
    public var description: String {
        "\(code.rawValue): \(message)"
    }
}
