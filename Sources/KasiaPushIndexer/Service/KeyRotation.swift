import APNs
import Carriers
import Clocks
import FCM
import Logging
import Push
import Store

/// Reloads credentials on SIGHUP, from the configuration: the key that signs pushes, `apns.team_id`, `apns.key_id` and
/// Apple's key, and the service account of FCM.
///
/// Notifications in flight finish on the old connections; later ones use new connections. A configuration or key that
/// cannot be used is logged, and the old one stays. All other settings need a restart; changed ones of `apns` are named
/// in the log.
actor KeyRotation {
    /// The push side; nil if no carrier was configured at the start.
    private let pipeline: PushPipeline?
    /// Signs pushes; nil if it had no key at the start.
    private let signer: PushSigner?
    private let store: Store
    /// The clock that dates provider tokens.
    private let time: MachineClock
    /// The settings in use.
    private var settings: APNsSettings?
    private var fcm: FCMSettings?
    /// Reads the configuration again.
    private let readAgain: @Sendable () throws(ConfigurationError) -> IndexerConfiguration
    private let logger: Logger

    /// `settings` are those of the start.
    init(
        pipeline: PushPipeline?, signer: PushSigner?, store: Store, time: MachineClock, settings: APNsSettings?,
        fcm: FCMSettings? = nil, logger: Logger,
        reload: @escaping @Sendable () throws(ConfigurationError) -> IndexerConfiguration
    ) {
        self.pipeline = pipeline
        self.signer = signer
        self.store = store
        self.time = time
        self.settings = settings
        self.fcm = fcm
        self.logger = logger
        readAgain = reload
    }

    func reload() async {
        if let signer {
            do {
                try rotate(signer)
            } catch {
                logger.error("push.signing_key.kept", metadata: ["reason": "\(error)"])
            }
        }
        guard let pipeline, settings != nil || fcm != nil else {
            logger.warning(
                "apns.key.not_configured", metadata: ["consequence": "a restart reads apns.* and fcm.* again"])
            return
        }
        if let client = pipeline.carriers.apns, let old = settings {
            do {
                settings = try await rotate(client, pipeline.dispatcher, from: old)
            } catch {
                logger.error("apns.key.kept", metadata: ["reason": "\(error)"])
            }
        }
        if let carrier = pipeline.carriers.fcm, let old = fcm {
            do {
                fcm = try await rotate(carrier, pipeline.dispatcher, from: old)
            } catch {
                logger.error("fcm.service_account.kept", metadata: ["reason": "\(error)"])
            }
        }
    }

    /// Changes the key that signs pushes if it differs.
    private func rotate(_ signer: PushSigner) throws {
        guard let new = try readAgain().push.signingKey else {
            throw StartError(
                description: "push.signing_key_path is not set any more; a restart without it ends signing")
        }
        let (key, before) = (try SigningKey(pem: new.text.revealed), signer.publicKey)
        guard key.publicKey != before else {
            logger.info("push.signing_key.unchanged", metadata: ["key.id": "\(before.keyID)"])
            return
        }
        signer.replaceKey(key)
        logger.notice(
            "push.signing_key.replaced",
            metadata: ["key.id": "\(key.publicKey.keyID)", "key.id.before": "\(before.keyID)"])
    }

    /// Changes the service account if it differs.
    ///
    /// Returns the settings that are then in use.
    private func rotate(
        _ carrier: FCMCarrier, _ dispatcher: Dispatcher, from old: FCMSettings
    ) async throws -> FCMSettings {
        guard let new = try readAgain().fcm else {
            throw StartError(description: "fcm.* is not set any more; a restart without it ends sending")
        }
        if new.connection != old.connection {
            logger.error(
                "fcm.settings.not_taken_up", metadata: ["consequence": "the old values stay in use until a restart"])
        }
        guard new.serviceAccount != old.serviceAccount else {
            logger.info("fcm.service_account.unchanged")
            return old
        }
        let account = try ServiceAccount(json: new.serviceAccount.revealed)
        carrier.replaceAccount(account)
        await dispatcher.credentialsChanged(of: .fcm)
        logger.notice(
            "fcm.service_account.replaced",
            metadata: ["client.email": "\(account.clientEmail)", "project": "\(account.projectID)"])
        var current = old
        current.serviceAccount = new.serviceAccount
        current.serviceAccountPath = new.serviceAccountPath
        return current
    }

    /// Changes the key if it differs.
    ///
    /// Returns the settings that are then in use.
    private func rotate(
        _ client: APNsClient, _ dispatcher: Dispatcher, from old: APNsSettings
    ) async throws -> APNsSettings {
        guard let new = try readAgain().apns else {
            throw StartError(description: "apns.* is not set any more; a restart without it ends sending")
        }
        let waiting = KeyRotation.needingRestart(from: old, to: new).map(\.rawValue)
        if !waiting.isEmpty {
            logger.error(
                "apns.settings.not_taken_up",
                metadata: [
                    "keys": .string(waiting.joined(separator: ",")),
                    "consequence": "the old values stay in use until a restart",
                ])
        }
        guard (new.teamID, new.keyID) != (old.teamID, old.keyID) || new.key.pem != old.key.pem else {
            logger.info("apns.key.unchanged", metadata: ["key.id": "\(old.keyID)"])
            return old
        }
        client.replaceProviderToken(
            try ProviderTokenSource(
                teamID: new.teamID, keyID: new.keyID, privateKeyPEM: new.key.pem.revealed,
                storage: ProviderTokenStore(store: store), time: time))
        await dispatcher.credentialsChanged(of: .apns)
        logger.notice("apns.key.rotated", metadata: ["key.id": "\(new.keyID)", "key.id.before": "\(old.keyID)"])
        // Settings that need a restart stay as they were.
        var current = old
        current.teamID = new.teamID
        current.keyID = new.keyID
        current.key = new.key
        return current
    }

    /// The keys of `apns` that differ and need a restart.
    static func needingRestart(from old: APNsSettings, to new: APNsSettings) -> [ConfigurationKey] {
        let takenUp: Set<ConfigurationKey> = [.apnsTeamID, .apnsKeyID, .apnsKeyPath, .apnsKey]
        let values = Dictionary(uniqueKeysWithValues: APNsSettings.settings(of: old).map { ($0.key, $0.text) })
        return APNsSettings.settings(of: new).filter { !takenUp.contains($0.key) && values[$0.key] != $0.text }
            .map(\.key)
    }
}
