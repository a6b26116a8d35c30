import ServiceLifecycle

/// The back end for spans: by default none, and then they cost next to nothing.
///
/// To build the service with a tracer, add it here and nowhere else (operator guide, "Build with a tracer").
enum TracingBackend {
    /// Bootstraps `InstrumentationSystem`.
    ///
    /// It is called once in the process, before anything is traced.
    ///
    /// Returns the exporting services. They start before all others and stop after them, so that the last spans are
    /// exported too. An error ends the start.
    static func bootstrap() throws -> [any Service] { [] }
}
