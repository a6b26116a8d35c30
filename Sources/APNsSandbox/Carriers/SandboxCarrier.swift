/// Which of the services that the sandbox plays a request is for.
public enum SandboxCarrier: String, Sendable, Hashable, CaseIterable {
    /// Apple's push service: `/3/device/TOKEN`, and every path that is no other's.
    case apns
    /// Firebase Cloud Messaging: `/v1/projects/PROJECT/messages:send`.
    case fcm
    /// A Web Push service: `/push/ID`.
    case webPush = "web_push"
    /// Google's token endpoint, `/token`, which gives out access tokens for FCM.
    case googleToken = "google_token"
    /// The question whether an endpoint speaks UnifiedPush: `GET /push/ID`.
    case unifiedPush = "unified_push"

    /// Whether its requests are notifications, which rules without a carrier hit as well.
    public var carriesNotifications: Bool {
        switch self {
        case .apns, .fcm, .webPush: true
        case .googleToken, .unifiedPush: false
        }
    }

    /// The status of its usual answer.
    var successStatus: Int { self == .webPush ? 201 : 200 }

    /// Whether this status says that the carrier has taken a notification.
    func accepts(_ status: Int) -> Bool {
        switch self {
        case .apns, .fcm: status == 200
        // RFC 8030 has 201 and 202; some services answer 200.
        case .webPush: (200...202).contains(status)
        case .googleToken, .unifiedPush: false
        }
    }
}

/// The services played beside Apple's, which decide whose a path is.
struct CarrierRoutes: Sendable {
    static let tokenPath = "/token"
    static let projectsPrefix = "/v1/projects/"
    static let pushPrefix = "/push/"

    var google = false
    var webPush = false

    func carrier(of method: String, _ path: String) -> SandboxCarrier {
        let path = path.prefix { $0 != "?" }
        if google {
            if path == Self.tokenPath { return .googleToken }
            if path.hasPrefix(Self.projectsPrefix) { return .fcm }
        }
        if webPush, path.hasPrefix(Self.pushPrefix) { return method == "GET" ? .unifiedPush : .webPush }
        return .apns
    }
}
