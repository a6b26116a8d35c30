/// An error whose kind a span may record: a word from a fixed set, never the message.
package protocol SpanError: Error {
    /// `error.type`.
    var spanErrorType: String { get }
}
