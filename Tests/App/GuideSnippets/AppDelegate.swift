// What only the app has.
#if os(iOS)
import BackgroundTasks
import Foundation
import KasiaPushClient
import KasiaPushCore
import KasiaPushStore
import UIKit
import UserNotifications

// snippet: delegate
final class AppDelegate: NSObject, UIApplicationDelegate {
    static let push = Shared {
        try await AppPush(
            client: Example.client(), secrets: KeyChain(), messages: MyMessages(), folder: stateFolder(),
            storePath: sharedStorePath())
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        application.registerForRemoteNotifications()
        run()
        return true
    }

    /// After an unlock: at a start before the first one, the key chain and the store cannot be read.
    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) { run() }

    private func run() {
        Task { try await AppDelegate.push.value().run() }
    }

    func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken token: Data
    ) {
        Task { try await AppDelegate.push.value().tokenArrived(.apns(token)) }
    }

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        let push = PushPayload(userInfo: userInfo)
        do {
            try await AppDelegate.push.value().received(push)
            return .newData
        } catch {
            return .failed
        }
    }
}
// end

extension NotificationPermission {
    /// Asks the user if nobody has yet.
    static func ask() async -> NotificationPermission {
        let center = UNUserNotificationCenter.current()
        _ = try? await center.requestAuthorization(options: [.alert, .sound, .badge])
        let settings = await center.notificationSettings()
        switch settings.authorizationStatus {
        case .notDetermined: return .notAsked
        case .denied: return .denied
        default: return settings.alertSetting == .enabled ? .allowed : .quiet
        }
    }
}

// snippet: refresh
/// Asks the system to wake the app in some hours: call it when the app leaves the foreground, and in each refresh.
func scheduleCatchUp() throws {
    let request = BGAppRefreshTaskRequest(identifier: "com.example.chat.catch-up")
    request.earliestBeginDate = Date(timeIntervalSinceNow: 4 * 3_600)
    try BGTaskScheduler.shared.submit(request)
}
// end

/// The app's own database, which each app has already.
struct MyMessages: AppMessages {
    func save(_ messages: [PendingMessage]) async throws {}
    func newest() async throws -> Int64 { 0 }
}
#endif
