import Logging
import ServiceLifecycle
import Store

/// Brings what was written to disk once a second, so that a power cut takes back little more than that.
///
/// What is promised to somebody is on disk before the promise. The chain's steps and the ends of deliveries are not:
/// what a power cut takes of them is read from the node again, or sent to Apple again.
struct LogKeeper: Service {
    private static let interval = Duration.seconds(1)

    let store: Store
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var synced: UInt64 = 0
            var failure: String?
            while !Task.isCancelled {
                do { try await Task.sleep(for: LogKeeper.interval) } catch { return }
                let last = store.lastWrite
                guard last != synced else { continue }
                do throws(StoreError) {
                    try await store.sync()
                    (synced, failure) = (last, nil)
                } catch {
                    // Once for each trouble: it lasts until a restart.
                    guard failure != error.message else { continue }
                    failure = error.message
                    logger.error("store.sync.failed", metadata: ["error.message": "\(error.message)"])
                }
            }
        }
    }
}
