package import Tracing

/// The tracer and the span of a moment, for what goes on in another task.
package struct TracingScope: Sendable {
    private let tracer: any Tracer
    private let context: ServiceContext?

    /// The scope of the task that asks; nil where nothing is traced.
    package static var current: TracingScope? {
        isTracing ? TracingScope(tracer: InstrumentationSystem.tracer, context: .current) : nil
    }

    /// Runs `operation` as if it went on there.
    package func run<Value>(_ operation: nonisolated(nonsending) () async -> Value) async -> Value {
        await withTracer(tracer) { await ServiceContext.$current.withValue(context) { await operation() } }
    }
}

/// Begins a span that whoever asked has to end, for what ends in no task; nil where nothing is traced.
package func beginSpan(
    _ name: String, kind: SpanKind = .internal, function: String = #function, file: String = #fileID,
    line: UInt = #line
) -> (any Span)? {
    guard isTracing else { return nil }
    return startSpan(name, ofKind: kind, at: DefaultTracerClock.now, function: function, file: file, line: line)
}

extension Span {
    /// Runs `operation`, whose spans are inside this one.
    package func around<Value>(_ operation: () -> Value) -> Value {
        ServiceContext.$current.withValue(context, operation: operation)
    }
}
