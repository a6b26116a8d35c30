import Logging
import ServiceLifecycle
import Store

/// Saves the filter of watched addresses for the next start, once every part that writes has stopped.
struct WatchFilterWriter: Service {
    let store: Store
    let logger: Logger

    func run() async throws {
        // After a cancellation others may still write; then the next start ignores the file.
        try? await gracefulShutdown()
        do throws(StoreError) {
            try await store.registry.keepWatchedScripts()
        } catch {
            logger.warning(
                "store.watch_index.not_kept",
                metadata: [
                    "error.message": "\(error)",
                    "consequence": "nothing is missed; the next start reads all registrations in the background",
                ])
        }
    }
}
