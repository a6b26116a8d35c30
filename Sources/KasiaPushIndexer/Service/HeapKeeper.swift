import ServiceLifecycle

/// Gives freed memory back to the system from time to time.
///
/// After a time in which thousands waited, free pages lie between blocks in use: some 30 MB after three days of traffic
/// (`Benchmarks/RESULTS.md`, "Days of traffic").
struct HeapKeeper: Service {
    private static let interval = Duration.seconds(600)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await Task.sleep(for: HeapKeeper.interval) } catch { return }
                HeapLimits.giveBack()
            }
        }
    }
}
