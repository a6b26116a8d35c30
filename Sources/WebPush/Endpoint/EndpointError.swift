/// Why a URL cannot be an endpoint.
public enum EndpointError: Error, Equatable, CustomStringConvertible {
    /// More than 1,000 bytes.
    case tooLong
    /// A space, a control character, a backslash, or no ASCII.
    case unusableCharacter
    /// Another scheme.
    case notHTTPS
    /// It has a part after `#`.
    case fragment
    /// It has a user name before `@`.
    case userInformation
    /// No DNS name and no IP address, or no port.
    case host
    /// Nothing follows the host.
    case noPath

    /// What is asked of an endpoint, in the rest of a sentence that begins with its name.
    public var description: String {
        switch self {
        case .tooLong: "must have at most \(Endpoint.maximumBytes) bytes"
        case .unusableCharacter: "must be visible ASCII without backslashes"
        case .notHTTPS: "must be an https URL"
        case .fragment: "must have no fragment"
        case .userInformation: "must have no user name"
        case .host: "must have a DNS name or an IP address, and a port of 1 to 65535 if there is one"
        case .noPath: "must have a path"
        }
    }
}
