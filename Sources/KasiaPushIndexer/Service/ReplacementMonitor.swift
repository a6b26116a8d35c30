import Logging
import ServiceLifecycle
import Store

/// Ends the service when another process has taken its store over: the supervisor starts it again, and it finds out how
/// things stand.
///
/// The store refuses everything by then, so that nothing is sent or answered meanwhile.
struct ReplacementMonitor: Service {
    private static let interval = Duration.milliseconds(500)

    let store: Store
    /// Where the store is, for people.
    let location: String
    let logger: Logger

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                if let trouble = store.trouble, trouble.code == .stopped {
                    logger.error("service.replaced", metadata: ["error.message": "\(trouble)"])
                    throw StartError(
                        description: "another process has taken over the store at \(location), so this one ends: "
                            + trouble.message)
                }
                try? await Task.sleep(for: ReplacementMonitor.interval)
            }
        }
    }
}
