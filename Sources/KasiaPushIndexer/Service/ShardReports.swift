import Logging
import Push
import ServiceLifecycle
import Store
import Troubles

/// Takes over what the other shards have found out of devices: tokens that are dead, and environments.
struct ShardReports: Service {
    private static let interval = Duration.milliseconds(500)

    private let registry: DeviceRegistry
    private let logger = Logger(label: "kasia.push")
    private let trouble = SharedTrouble()

    init(registry: DeviceRegistry) { self.registry = registry }

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
            for device in try await registry.takeReports() {
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
