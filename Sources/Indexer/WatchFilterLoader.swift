package import Logging
import ServiceLifecycle
package import Store

/// Loads the filter of watched addresses from the watch index, at the start and when registrations have filled it too
/// much.
///
/// After a graceful stop there is nothing to load at the start, since the stop saves the filter. The service is ready
/// meanwhile: until the filter is loaded, every transaction is looked up in the index itself.
package struct WatchFilterLoader: Service {
    /// The pause after a failed load.
    private static let pause = Duration.seconds(60)

    private let store: Store
    private let logger: Logger

    package init(store: Store, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// Runs until the service stops or the task is cancelled.
    package func run() async throws {
        if store.registry.watchedScripts.isFilled { logger.info("indexer.watch_index.kept") }
        await cancelWhenGracefulShutdown {
            for await _ in store.registry.watchedScriptRequests {
                await read()
                guard !Task.isCancelled else { return }
            }
        }
    }

    private func read() async {
        let began = ContinuousClock.now
        do throws(StoreError) {
            guard let count = try await store.registry.fillWatchedScripts() else { return }
            logger.info(
                "indexer.watch_index.read",
                metadata: ["addresses": "\(count)", "took": "\(ContinuousClock.now - began)"])
        } catch {
            logger.error(
                "indexer.watch_index.failed",
                metadata: [
                    "error.message": "\(error)",
                    "consequence": "nothing is missed; more transactions than needed are held against the index",
                ])
            try? await Task.sleep(for: WatchFilterLoader.pause)
            store.registry.requestWatchedScripts()
        }
    }
}
