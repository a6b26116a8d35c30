/// A push service that the demo's stand-in plays.
enum DemoCarrier: String, Hashable, Sendable, CaseIterable, Decodable {
    case apns, fcm
    case webPush = "web_push"

    /// Its name for people.
    var name: String {
        switch self {
        case .apns: "Apple"
        case .fcm: "Google"
        case .webPush: "Web Push"
        }
    }
}
