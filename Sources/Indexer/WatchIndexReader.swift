package import Logging
import ServiceLifecycle
package import Store

/// Reads the watch index into memory at the start, and again when registrations have filled the filter too much.
///
/// After a stop in order there is nothing to read at the start, as the stop has kept the filter. The service is ready
/// meanwhile: until the first reading is over, every transaction is held against the index itself.
package struct WatchIndexReader: Service {
    /// The pause after a reading that failed.
    private static let pause = Duration.seconds(60)

    private let store: Store
    private let logger: Logger

    package init(store: Store, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// Works until the service stops or the task is cancelled.
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
            try? await Task.sleep(for: WatchIndexReader.pause)
            store.registry.requestWatchedScripts()
        }
    }
}
