/// Which way an item goes, seen from the address whose activity it is.
public struct ActivityDirection: RawRepresentable, Hashable, Sendable, Codable {
    /// The name as it is sent.
    public let rawValue: String

    /// Takes any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// To the address.
    public static let incoming = ActivityDirection(rawValue: "in")
    /// From the address.
    public static let outgoing = ActivityDirection(rawValue: "out")
    /// From the address to itself.
    public static let toSelf = ActivityDirection(rawValue: "self")
}
