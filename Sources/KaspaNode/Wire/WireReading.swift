public import Kaspa

/// How much of the node's messages is decoded.
public enum WireReading: Sendable {
    /// Everything, as a recording needs it.
    case whole
    /// Only transactions with a Kasia payload, and accepted ones that touch a script that may be watched.
    case ours(watching: any ScriptFilter)

    /// Decodes a `KaspadResponse`.
    ///
    /// The memory is needed only until this returns.
    ///
    /// Throws when the bytes are no such message: the node's fault.
    public func read(_ response: UnsafeRawBufferPointer) throws -> NodeResponse {
        switch self {
        case .whole: try NodeResponse(serializedBytes: response)
        case .ours(let filter): try WireScanner(watching: filter).read(response)
        }
    }
}

/// The filter that matches no script: only payloads decide.
package struct NothingWatched: ScriptFilter {
    package init() {}

    package var isEmpty: Bool { true }

    package func mayContain(_ script: UnsafeRawBufferPointer) -> Bool { false }
}
