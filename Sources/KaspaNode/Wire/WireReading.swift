public import Kaspa

/// How much of the node's messages is read.
public enum WireReading: Sendable {
    /// Everything: what a recording keeps.
    case whole
    /// Only the transactions with payloads of ours, and accepted ones that touch a script that may be watched.
    case ours(watching: any ScriptFilter)

    /// Reads a whole `KaspadResponse`; the memory is needed only until this returns.
    ///
    /// Throws when the bytes are no such message: the node's fault.
    public func read(_ response: UnsafeRawBufferPointer) throws -> NodeResponse {
        switch self {
        case .whole: try NodeResponse(serializedBytes: response)
        case .ours(let filter): try WireScanner(watching: filter).read(response)
        }
    }
}
