package import InMemoryTracing
package import Spans
package import Tracing

extension FinishedInMemorySpan {
    /// An attribute; nil when the span does not have it.
    package subscript(_ key: SpanKey) -> SpanAttribute? { attributes.get(key.rawValue) }

    /// Whether it says that it failed.
    package var hasFailed: Bool { status?.code == .error }
}

extension InMemoryTracer {
    /// The finished spans of one name, in the order of their ends.
    package func spans(_ name: String) -> [FinishedInMemorySpan] { finishedSpans.filter { $0.operationName == name } }
}
