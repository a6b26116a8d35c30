import InMemoryTracing
import Spans
import Tracing

extension FinishedInMemorySpan {
    /// An attribute; nil when the span does not have it.
    subscript(_ key: SpanKey) -> SpanAttribute? { attributes.get(key.rawValue) }

    /// Whether it says that it failed.
    var hasFailed: Bool { status?.code == .error }
}

extension InMemoryTracer {
    /// The finished spans of one name, in the order of their ends.
    func spans(_ name: String) -> [FinishedInMemorySpan] { finishedSpans.filter { $0.operationName == name } }
}
