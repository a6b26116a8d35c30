// What only the notification extension has.
#if canImport(UserNotifications)
import Foundation
import KasiaPushCore
import KasiaPushStore
import UserNotifications

// snippet: extension
final class NotificationService: UNNotificationServiceExtension {
    /// Each call takes 10 seconds at most, since the system ends an extension after 30.
    static let client = Example.client(timeout: .seconds(10))
    static let store = Shared { try await PushStore.open(path: sharedStorePath()) }

    private static func decide(_ push: PushPayload) async throws -> NotificationDecision {
        try await PushReader(client: client, secrets: KeyChain(), store: store.value())
            .decide(push, now: milliseconds())
    }

    override func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        nonisolated(unsafe) let (content, show) = (request.content, contentHandler)
        let push = PushPayload(userInfo: content.userInfo)
        Task {
            show(content.showing(try? await NotificationService.decide(push)))
        }
    }
}
// end

// snippet: showing
extension UNNotificationContent {
    /// The content as it was decided; nil: as it came.
    func showing(_ decision: NotificationDecision?) -> UNNotificationContent {
        guard let decision, let content = mutableCopy() as? UNMutableNotificationContent else { return self }
        guard case .show(let composed) = decision else { return UNNotificationContent() }
        content.title = composed.title
        content.subtitle = composed.subtitle ?? ""
        content.body = composed.body
        content.threadIdentifier = composed.threadID ?? ""
        content.categoryIdentifier = composed.category ?? ""
        content.sound = composed.hasSound ? .default : nil
        if let badge = composed.badge { content.badge = NSNumber(value: badge) }
        return content
    }
}
// end
#endif
