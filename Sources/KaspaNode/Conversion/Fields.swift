import Kaspa

/// Converts scalar fields of the node's messages.
///
/// Each error names the field.
enum Fields {
    /// A hash of 64 hex digits.
    static func hash(_ text: String, _ name: StaticString) throws(NodeError) -> Hash {
        guard let hash = Hash(text) else { throw malformed(name, "is not a hash") }
        return hash
    }

    /// A hash that can be left out: an empty text is nil.
    static func optionalHash(_ text: String, _ name: StaticString) throws(NodeError) -> Hash? {
        text.isEmpty ? nil : try hash(text, name)
    }

    /// Bytes in hex, of any length.
    static func bytes(_ text: String, _ name: StaticString) throws(NodeError) -> [UInt8] {
        guard let bytes = Hex.decode(text) else { throw malformed(name, "is not hex") }
        return bytes
    }

    /// Milliseconds since 1970.
    ///
    /// The field is signed; a negative time is refused.
    static func milliseconds(_ value: Int64, _ name: StaticString) throws(NodeError) -> UInt64 {
        guard let milliseconds = UInt64(exactly: value) else { throw malformed(name, "is negative") }
        return milliseconds
    }

    /// A required field.
    static func present<Value>(_ value: Value, _ isPresent: Bool, _ name: StaticString) throws(NodeError) -> Value {
        guard isPresent else { throw malformed(name, "is missing") }
        return value
    }

    private static func malformed(_ name: StaticString, _ fault: String) -> NodeError {
        NodeError(.malformedAnswer, "\(name) \(fault)")
    }
}

extension Script {
    /// Reads a script; its version must fit in 16 bits.
    init(_ message: Protowire_RpcScriptPublicKey) throws(NodeError) {
        guard let version = UInt16(exactly: message.version) else {
            throw NodeError(.malformedAnswer, "a script's version is over 65535")
        }
        self.init(version: version, bytes: try Fields.bytes(message.scriptPublicKey, "a script"))
    }
}
