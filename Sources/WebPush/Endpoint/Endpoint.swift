/// Where a push service takes the pushes for one browser or app: an https URL, written by a stranger.
///
/// Whoever has it can send to that device, so its description shows the origin only.
public struct Endpoint: Hashable, Sendable {
    /// The longest URL, in bytes.
    public static let maximumBytes = 1_000

    /// The URL as it was given.
    public let text: String
    /// `https://HOST` or `https://HOST:PORT`, in lower case; the usual port is left out.
    public let origin: String
    /// The path with the query, beginning with a slash.
    public let path: String
    /// In lower case; IPv6 addresses have their brackets.
    let host: String
    let port: Int

    /// The usual port of https.
    static let usualPort = 443
    static let scheme = "https://"

    /// Reads a URL strictly: https, a DNS name or an IP address, perhaps a port, and a path.
    ///
    /// Errors say what is wrong without repeating the URL.
    public init(_ text: String) throws(EndpointError) {
        guard text.utf8.count <= Endpoint.maximumBytes else { throw .tooLong }
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") }) else {
            throw .unusableCharacter
        }
        guard text.prefix(Endpoint.scheme.count).lowercased() == Endpoint.scheme else { throw .notHTTPS }
        guard !text.utf8.contains(UInt8(ascii: "#")) else { throw .fragment }
        let rest = text.dropFirst(Endpoint.scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw .userInformation }
        guard let parts = HostAndPort(authority) else { throw .host }
        path = String(rest[authority.endIndex...])
        guard path.hasPrefix("/") else { throw .noPath }
        (host, port) = (parts.host, parts.port ?? Endpoint.usualPort)
        origin = Endpoint.scheme + host + (port == Endpoint.usualPort ? "" : ":\(port)")
        self.text = text
    }

    /// Reads the token of a device: the URL's bytes.
    init(token: [UInt8]) throws(EndpointError) {
        guard token.count <= Endpoint.maximumBytes else { throw .tooLong }
        guard let text = String(validating: token, as: UTF8.self) else { throw .unusableCharacter }
        try self.init(text)
    }
}

extension Endpoint: CustomStringConvertible, CustomDebugStringConvertible {
    /// The origin; the path is left out.
    public var description: String { "endpoint at \(origin)" }
    /// The same as `description`.
    public var debugDescription: String { description }
}
