import Logging
import Metrics
import ServiceLifecycle
import Store
import Troubles

/// Takes over what the other shards have found out of devices: tokens that are dead, and environments.
struct ShardReports: Service {
    private static let interval = Duration.milliseconds(500)

    let store: Store
    private let logger = Logger(label: "kasia.push")
    private let trouble = SharedTrouble()

    init(store: Store) { self.store = store }

    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await take()
                try? await Task.sleep(for: ShardReports.interval)
            }
        }
    }

    private func take() async {
        do throws(StoreError) {
            for device in try await store.takeReports() {
                logger.info("push.shard.device_removed", metadata: ["device": "\(device)"])
            }
            if let summary = trouble.over() { logger.notice("push.shard.reports_taken", metadata: summary) }
        } catch {
            guard let summary = trouble.met(error.message) else { return }
            let metadata: Logger.Metadata = ["error.message": "\(error.message)"]
            logger.warning("push.shard.reports_not_taken", metadata: metadata.adding(summary))
        }
    }
}
