/// One of Apple's two servers: a device token is good at exactly one of them, whichever build of the app it came from.
public enum APNsHost: Sendable, Hashable, CaseIterable {
    /// For builds from Xcode.
    case development
    /// For builds from TestFlight and the App Store.
    case production

    /// Apple's own https origin.
    public var appleOrigin: String {
        switch self {
        case .development: "https://api.sandbox.push.apple.com:443"
        case .production: "https://api.push.apple.com:443"
        }
    }

    /// The other one.
    public var other: APNsHost { self == .development ? .production : .development }

    /// The word for logs, and the app's for `apns_environment`.
    public var label: String {
        switch self {
        case .development: "development"
        case .production: "production"
        }
    }
}
