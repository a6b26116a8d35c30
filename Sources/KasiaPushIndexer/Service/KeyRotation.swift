import APNs
import Logging
import Push
import ServiceLifecycle
import Store
import UnixSignals

/// Takes up another APNs key on SIGHUP: `apns.team_id`, `apns.key_id` and the key, read again from the configuration.
///
/// What is in flight finishes on the old connections; what comes later goes on new ones. A configuration or key that
/// cannot be used is logged, and the old one stays. All other settings need a restart.
struct KeyRotation: Service {
    /// nil: APNs was not configured at the start. The signal is taken all the same, as it would end the process.
    let pipeline: PushPipeline?
    let store: Store
    /// What the service started with.
    let settings: APNsSettings?
    /// Reads the configuration again.
    let reload: @Sendable () throws(ConfigurationError) -> IndexerConfiguration
    let logger: Logger

    func run() async throws {
        var current = settings
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            guard let pipeline, let old = current else {
                logger.warning("apns.key.not_configured", metadata: ["consequence": "a restart reads apns.* again"])
                continue
            }
            do {
                current = try await rotate(pipeline, from: old)
            } catch {
                logger.error("apns.key.kept", metadata: ["reason": "\(error)"])
            }
        }
    }

    /// Returns what is in use now.
    private func rotate(_ pipeline: PushPipeline, from old: APNsSettings) async throws -> APNsSettings {
        guard let new = try reload().apns else {
            throw StartError(description: "apns.* is not set any more; a restart without it ends sending")
        }
        guard (new.teamID, new.keyID) != (old.teamID, old.keyID) || new.key.pem != old.key.pem else {
            logger.info("apns.key.unchanged", metadata: ["key.id": "\(old.keyID)"])
            return old
        }
        pipeline.client.replaceProviderToken(
            try ProviderTokenSource(
                teamID: new.teamID, keyID: new.keyID, privateKeyPEM: new.key.pem.revealed,
                storage: StoredTokens(store: store)))
        await pipeline.dispatcher.credentialsChanged()
        logger.notice("apns.key.rotated", metadata: ["key.id": "\(new.keyID)", "key.id.before": "\(old.keyID)"])
        return new
    }
}
