import ServiceLifecycle

/// Where spans go: as it is, nowhere, and then they cost next to nothing.
///
/// Whoever builds the service with a tracer of their own puts it here and nowhere else: the operator guide, "Traces",
/// shows how.
enum TracingBackend {
    /// Bootstraps `InstrumentationSystem`, before anything is traced; called once in the process.
    ///
    /// Returns the services that export. They start before all others and stop after them, so that the last spans get
    /// out too. An error ends the start.
    static func bootstrap() throws -> [any Service] { [] }
}
