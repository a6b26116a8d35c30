package import Tracing

/// Runs `operation` in a span.
///
/// Only the kind of an error is recorded, and the error is rethrown unchanged. The tracer is the one of the task
/// (`withTracer`) or of the process. Without one the span costs almost nothing, as long as attributes are written with
/// `describe`. Unlike `withSpan`, it keeps typed errors and never records an error's text, which can contain what a
/// node, Apple or an app wrote.
///
/// The parent is `parent`, by default the task's current span. `start` is when the span began, by default now.
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

/// The same for an operation that does not suspend.
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
/// This check is four times faster than looking for a tracer.
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

/// The scope of a task-local value rethrows errors untyped, so typed errors pass through it as a result.
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
    /// Whether nested spans need this one as parent: it records, or carries the caller's decision not to.
    fileprivate var isPropagating: Bool { isRecording || !context.isEmpty }
}
