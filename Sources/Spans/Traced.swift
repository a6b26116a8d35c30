package import Tracing

/// Runs `operation` in a span, which ends with it; an error is told by its kind alone, and thrown on as it is.
///
/// The tracer is the one of the task (`withTracer`) or of the process; without either the span records nothing and
/// hardly costs anything, as long as attributes are written with `describe`. Unlike `withSpan` it keeps typed errors,
/// and it never records an error's text: that can hold what a node, Apple or an app wrote.
///
/// The parent is `parent`, by default the span that the task is in; `start` is when the span began, by default now.
package nonisolated(nonsending) func traced<Value, Failure: Error>(
    _ name: String, kind: SpanKind = .internal, under parent: ServiceContext? = nil,
    from start: DefaultTracerClock.Timestamp? = nil, function: String = #function, file: String = #fileID,
    line: UInt = #line, _ operation: nonisolated(nonsending) (any Span) async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let span = begin(name, kind, parent, start, function, file, line)
    defer { span.end() }
    let result: Result<Value, Failure>
    if span.isPropagating {
        result = await ServiceContext.$current.withValue(span.context) { await outcome(of: operation, in: span) }
    } else {
        result = await outcome(of: operation, in: span)
    }
    return try result.get()
}

/// The same for what does not suspend.
package func traced<Value, Failure: Error>(
    _ name: String, kind: SpanKind = .internal, under parent: ServiceContext? = nil,
    from start: DefaultTracerClock.Timestamp? = nil, function: String = #function, file: String = #fileID,
    line: UInt = #line, _ operation: (any Span) throws(Failure) -> Value
) throws(Failure) -> Value {
    let span = begin(name, kind, parent, start, function, file, line)
    defer { span.end() }
    let result: Result<Value, Failure>
    if span.isPropagating {
        result = ServiceContext.$current.withValue(span.context) { outcome(of: operation, in: span) }
    } else {
        result = outcome(of: operation, in: span)
    }
    return try result.get()
}

/// Whether there may be a tracer.
///
/// Told four times faster than by looking for one.
package var isTracing: Bool { !(InstrumentationSystem.instrument is NoOpInstrument) }

private func begin(
    _ name: String, _ kind: SpanKind, _ parent: ServiceContext?, _ start: DefaultTracerClock.Timestamp?,
    _ function: String, _ file: String, _ line: UInt
) -> any Span {
    let context = parent ?? .current ?? .topLevel
    guard isTracing else { return NoOpTracer.NoOpSpan(context: context) }
    return startSpan(
        name, context: context, ofKind: kind, at: start ?? DefaultTracerClock.now, function: function, file: file,
        line: line)
}

/// A task-local value's scope rethrows any error untyped: typed ones pass through it as a value.
private nonisolated(nonsending) func outcome<Value, Failure: Error>(
    of operation: nonisolated(nonsending) (any Span) async throws(Failure) -> Value, in span: any Span
) async -> Result<Value, Failure> {
    do throws(Failure) {
        return .success(try await operation(span))
    } catch {
        span.failed(error)
        return .failure(error)
    }
}

private func outcome<Value, Failure: Error>(
    of operation: (any Span) throws(Failure) -> Value, in span: any Span
) -> Result<Value, Failure> {
    do throws(Failure) {
        return .success(try operation(span))
    } catch {
        span.failed(error)
        return .failure(error)
    }
}

extension Span {
    /// Whether spans inside must know of this one: it records, or carries somebody's decision not to.
    fileprivate var isPropagating: Bool { isRecording || !context.isEmpty }
}
