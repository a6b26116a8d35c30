import APNs
import Foundation
import Logging
import Push
import Store

/// Sends one notification to one device, without the outbox.
struct SingleSend: Sendable {
    /// The collapse id, at most 64 bytes.
    ///
    /// With it, a second test replaces the first on the screen.
    private static let collapseID = "kasia-push-test"

    let settings: APNsSettings
    let configuration: IndexerConfiguration

    /// The answer of each host, asked one after the other, or why it was not asked.
    ///
    /// All get the same provider token, since Apple refuses teams that make tokens too often.
    ///
    /// Errors: `ProviderTokenError`, `APNsConfigurationError`: the operator's mistake.
    func send(
        token: String, payload: [UInt8], hosts: [APNsHost]
    ) async throws -> [(host: APNsHost, outcome: APNsOutcome)] {
        var apns = APNsConfiguration(settings)
        (apns.connections, apns.streams) = (1, 1)
        let tokens = try ProviderTokenSource(
            teamID: settings.teamID, keyID: settings.keyID, privateKeyPEM: settings.key.pem.revealed,
            storage: BorrowedTokens(configuration: configuration))
        let client = try APNsClient(
            configuration: apns, providerToken: tokens,
            logger: Logger(label: "kasia.apns") { _ in SwiftLogNoOpLogHandler() })
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await client.run() }
            var outcomes: [(host: APNsHost, outcome: APNsOutcome)] = []
            for host in hosts {
                let outcome = await client.send(
                    APNsRequest(
                        deviceToken: token, payload: payload, id: UUID().uuidString.lowercased(),
                        collapseID: SingleSend.collapseID,
                        // Expires soon: the person who tests is looking at the phone.
                        expiration: UInt64(Date().timeIntervalSince1970) + 300, host: host))
                outcomes.append((host, outcome))
            }
            group.cancelAll()
            return outcomes
        }
    }

    /// The payload of a test alert.
    static func testPayload(body: String) throws -> [UInt8] {
        let alert = ["title": "Kasia push test", "body": body]
        return Array(try JSONSerialization.data(withJSONObject: ["aps": ["alert": alert, "sound": "default"]]))
    }
}

/// The service's provider token, used by a command beside it: Apple refuses teams that mint tokens too often.
///
/// A running service mints; without one, a token that had to be minted here is kept in the store, or where there is
/// none yet in a file beside its place.
private struct BorrowedTokens: ProviderTokenStorage {
    let configuration: IndexerConfiguration

    private var path: String { configuration.store.path }

    private var file: ProviderTokenFile { ProviderTokenFile(storePath: path) }

    func load() async throws -> StoredProviderToken? {
        guard await hasStore else { return await file.load() }
        // A running service is the one that mints, and its store cannot be written here. Without an answer the one that
        // is stored is read all the same.
        _ = try? await ControlClient.send(.keepProviderToken, storePath: path)
        let store = try await configuration.store.open(
            network: configuration.network.type, readOnly: true, older: .keep)
        if let token = try await ProviderTokenStore(store: store).load() { return token }
        return await file.load()
    }

    func save(_ token: StoredProviderToken, replacing old: StoredProviderToken?) async throws -> StoredProviderToken {
        guard await hasStore else {
            do {
                return try await file.save(token, replacing: old)
            } catch {
                // This command can still use its token.
                StandardError.say(
                    "the provider token cannot be kept for the next command: \(error). Apple pauses a team that makes several within 20 minutes: "
                        + "run commands as a user that may write there")
            }
            return token
        }
        do {
            let store = try await configuration.store.open(
                network: configuration.network.type, limits: configuration.store.limits, older: .keep, creates: false)
            let kept = try await ProviderTokenStore(store: store).save(token, replacing: old)
            guard configuration.store.server == nil else { return kept }
            do {
                try FileOwner.ofStore(at: path)?.give(path)
            } catch {
                // The token is stored nevertheless.
                StandardError.say("\(error)")
            }
            return kept
        } catch let error as StoreError {
            guard error.code == .locked else { throw error }
            return token
        }
    }

    /// Whether there is a store.
    ///
    /// A command that sends does not create one.
    private var hasStore: Bool {
        get async { await configuration.store.isPresent(network: configuration.network.type) }
    }
}
