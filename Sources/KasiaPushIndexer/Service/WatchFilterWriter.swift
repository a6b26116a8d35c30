import Logging
import ServiceLifecycle
import Store

/// Writes the filter of watched addresses to a file for the next start, once every part that writes has stopped.
struct WatchFilterWriter: Service {
    let store: Store
    let logger: Logger

    func run() async throws {
        // After a cancellation others may still write: the file is then not believed.
        try? await gracefulShutdown()
        do throws(StoreError) {
            try await store.registry.keepWatchedScripts()
        } catch {
            logger.warning(
                "store.watch_index.not_kept",
                metadata: [
                    "error.message": "\(error)",
                    "consequence": "nothing is missed; the next start reads the watch index in the background",
                ])
        }
    }
}
