import Logging
import ServiceLifecycle
import Store
import Troubles

/// Syncs the store's write-ahead log to disk once a second, so that a power cut loses little more than that.
///
/// Answers to clients are synced before they are sent. Steps of the chain and Apple's answers are not: after a power
/// cut, the last ones are read from the node again, or sent to Apple again.
struct WriteAheadLogSync: Service {
    private static let interval = Duration.seconds(1)

    let store: Store
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var synced: UInt64 = 0
            let trouble = SharedTrouble()
            while !Task.isCancelled {
                do { try await Task.sleep(for: WriteAheadLogSync.interval) } catch { return }
                let last = store.lastWrite
                guard last != synced else { continue }
                do throws(StoreError) {
                    try await store.sync()
                    synced = last
                    if let summary = trouble.over() { logger.notice("store.sync.recovered", metadata: summary) }
                } catch {
                    guard let summary = trouble.met(error.message) else { continue }
                    let metadata: Logger.Metadata = ["error.message": "\(error.message)"]
                    logger.error("store.sync.failed", metadata: metadata.adding(summary))
                }
            }
        }
    }
}
