import Logging
import ServiceLifecycle
import Store

/// Leaves the filter of watched addresses for the next start, once every part that writes has stopped.
struct WatchIndexKeeper: Service {
    let store: Store
    let logger: Logger

    func run() async throws {
        // After a cancellation others may still write: the file is then not believed.
        try? await gracefulShutdown()
        do throws(StoreError) {
            try await store.keepWatchedScripts()
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
