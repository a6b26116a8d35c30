/// Why a node could not be asked or did not answer.
public struct NodeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What to do about it hangs on this.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// No node is followed at the moment; ask again after the next `NodeHint.connected`.
        case notConnected
        /// The node did not answer in time.
        case timeout
        /// `NodeConfiguration.maximumOutstandingRequests` wait already: the caller's fault.
        case busy
        /// The task that asked was cancelled.
        case cancelled
        /// The node answered with an error that is none of the following.
        case rejected
        /// The node no longer has the block asked from: the cursor is pruned, or was never on this chain.
        case startHashUnknown
        /// The node is still syncing; wait and ask again.
        case syncing
        /// The node is on another network than ours: the operator's fault.
        case wrongNetwork
        /// The node's answer cannot be understood: the node's fault.
        case malformedAnswer
        /// The connection could not be made or broke.
        case transport
        /// The node told of no block for `NodeConfiguration.stallTimeout`.
        case stalled
        /// The node is far behind another one of ours.
        case behind
        /// The node was asked about the chain again and again and gave no usable answer.
        case unusable
        /// A node that comes first in the configuration is healthy again; nobody's fault.
        case preferredNode
        /// A URL in the configuration cannot be read: the operator's fault.
        case invalidURL
        /// The authority's file holds no certificates: the operator's fault.
        case invalidAuthority
    }

    /// The kind of failure.
    package let code: Code

    /// One readable sentence; the node's own words where it said something.
    package let message: String

    /// The most that is kept of a node's or a library's words, in characters: they end in logs and in /ready.
    package static let maximumMessageLength = 500

    /// Takes a code and a sentence, which is cut to `maximumMessageLength`.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = String(message.prefix(Self.maximumMessageLength))
    }

    /// Sorts an `RPCError` text of the node by what it means (kaspad-grpc.md, Behaviour that matters).
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
