import Carriers
import ServiceLifecycle

/// Runs a carrier as long as `body` runs, without the outbox.
func withCarrier<Result: Sendable, C: Carrier>(
    _ carrier: C, _ body: (C) async throws -> Result
) async throws -> Result {
    let running = Task { try? await carrier.run() }
    defer { running.cancel() }
    return try await body(carrier)
}
