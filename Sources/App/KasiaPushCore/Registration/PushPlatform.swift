/// What a device runs, and so who carries its pushes: the member `platform` of a registration.
public enum PushPlatform: String, Sendable, Codable, CaseIterable {
    /// An iPhone or iPad; Apple carries.
    case ios
    /// A Mac; Apple carries.
    case macos
    /// Android with Google's services; FCM carries.
    case android
    /// A browser; its Web Push service carries.
    case web
    /// An app with a UnifiedPush distributor, which speaks Web Push.
    case unifiedpush

    /// The carrier whose tokens such a device has.
    public var carrier: PushToken.Carrier {
        switch self {
        case .ios, .macos: .apns
        case .android: .fcm
        case .web, .unifiedpush: .webPush
        }
    }
}
