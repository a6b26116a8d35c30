/// The shape of Apple's notifications; a newer service may have others.
public struct PayloadFormat: RawRepresentable, Hashable, Sendable, Codable {
    /// The name as it is sent.
    public let rawValue: String

    /// Takes any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The members stand in an object `kasia`.
    public static let kasia = PayloadFormat(rawValue: "kasia")
    /// The members stand beside `aps`, as KaChat reads them.
    public static let kachat = PayloadFormat(rawValue: "kachat")
}

/// Which of Apple's two hosts a token is good at.
public struct APNsEnvironment: RawRepresentable, Hashable, Sendable, Codable {
    /// The name as it is sent.
    public let rawValue: String

    /// Takes any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Builds from Xcode.
    public static let development = APNsEnvironment(rawValue: "development")
    /// TestFlight and the App Store.
    public static let production = APNsEnvironment(rawValue: "production")
}
