// What only the notification extension has.
#if canImport(UserNotifications)
import Foundation
import KasiaPushCore
import UserNotifications

// snippet: extension
final class NotificationService: UNNotificationServiceExtension {
    /// Each call of the service takes 10 seconds at most, since the system ends an extension after 30.
    static let reader = SharedReader {
        try await PushReader(
            client: Example.client(timeout: .seconds(10)), secrets: KeyChain(), storePath: sharedStorePath())
    }

    override func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        nonisolated(unsafe) let (content, show) = (request.content, contentHandler)
        let push = PushPayload(userInfo: content.userInfo)
        Task {
            let decision = try? await NotificationService.reader.reader().decide(push, now: milliseconds())
            show(content.showing(decision))
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
