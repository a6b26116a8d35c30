package import Tracing

/// The current tracer and span, for work that continues in another task.
package struct TracingScope: Sendable {
    private let tracer: any Tracer
    private let context: ServiceContext?

    /// The scope of the current task; nil without tracing.
    package static var current: TracingScope? {
        isTracing ? TracingScope(tracer: InstrumentationSystem.tracer, context: .current) : nil
    }

    /// Runs `operation` within this scope.
    package func run<Value>(_ operation: nonisolated(nonsending) () async -> Value) async -> Value {
        await withTracer(tracer) { await ServiceContext.$current.withValue(context) { await operation() } }
    }
}

/// Begins a span that the caller must end, for work that does not end in a task; nil without tracing.
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
