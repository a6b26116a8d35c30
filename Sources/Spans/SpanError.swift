/// An error whose kind a span may tell: a word out of few, never the message, which can hold anything.
package protocol SpanError: Error {
    /// `error.type`.
    var spanErrorType: String { get }
}
