import FCM
import Logging

/// Checks whether Google gives the service account an access token; nothing is sent to a device.
struct FCMCheck: Sendable {
    let configuration: IndexerConfiguration

    /// One finding; none without `fcm.*`.
    func findings() async -> [Finding] {
        guard let settings = configuration.fcm else { return [] }
        do {
            var fcm = try FCMConfiguration(settings, configuration.push)
            (fcm.connections, fcm.streams) = (1, 1)
            let carrier = try FCMCarrier(
                configuration: fcm, logger: Logger(label: "kasia.fcm") { _ in SwiftLogNoOpLogHandler() })
            let checked = try await withCarrier(carrier) { try await $0.checkCredentials() }
            return [Finding(.ok, "fcm", "Google accepts \(checked.clientEmail) for project \(checked.projectID)")]
        } catch let error as AccessTokenError {
            let isPassing = error.kind != .refused
            return [
                Finding(
                    isPassing ? .warn : .fail, "fcm", "\(error)",
                    todo: isPassing
                        ? "look at the network and its firewall, then try again"
                        : "make a new key for the service account, and look at this machine's clock")
            ]
        } catch {
            return [Finding(.fail, "fcm", "\(error)", todo: "correct fcm.*")]
        }
    }
}
