/// Why a recording cannot be read, written or played, and where.
package struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The file cannot be opened, read or written: the operator's or the disk's fault.
        case fileUnavailable
        /// The file does not begin with a recording's header.
        case foreign
        /// The file is a recording of a format that this program does not know.
        case unsupportedVersion
        /// The file ends in the middle of a message.
        case truncated
        /// A message is larger than `Recording.maximumMessageBytes`.
        case oversize
        /// A message's bytes are not what they should be.
        case malformed
        /// The messages contradict each other: time runs backwards, or the virtual chain does something that no chain
        /// does.
        case inconsistent
    }

    /// The kind of fault.
    package let code: Code

    /// The position in the file at which the faulty message begins, in bytes; nil for a fault that is not in the file.
    package let offset: UInt64?

    /// One readable sentence.
    package let message: String

    /// Takes a code, a position and a sentence.
    package init(_ code: Code, at offset: UInt64? = nil, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }

    /// The sentence, with the position where there is one.
    package var description: String {
        offset.map { "at byte \($0): \(message)" } ?? message
    }
}
