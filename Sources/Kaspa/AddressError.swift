/// Why a text is not an address that can be used.
///
/// The fault is the writer's.
public struct AddressError: Error, Equatable, Sendable {
    /// What is wrong.
    public enum Code: String, CaseIterable, Sendable {
        /// More than `Address.maximumTextByteCount` bytes.
        case tooLong
        /// No colon.
        case missingPrefix
        /// The text before the colon is no `AddressPrefix`.
        case unknownPrefix
        /// Both upper-case and lower-case letters.
        case mixedCase
        /// A character outside the base32 alphabet after the colon.
        case invalidCharacter
        /// The checksum is not the one of the prefix and the data, or is missing.
        case wrongChecksum
        /// The checksum fits, but the version is none of `Address.Version`.
        case unknownVersion
        /// The checksum fits, but the length is not the version's, or the bits left over are not zero.
        case wrongLength
        /// A good address of another kind of network.
        case foreignNetwork
    }

    /// What is wrong.
    public let code: Code

    /// What is wrong in a sentence; it does not repeat the text, which can be anything.
    public let description: String

    init(_ code: Code) {
        self.code = code
        description =
            switch code {
            case .tooLong: "The address is longer than \(Address.maximumTextByteCount) bytes."
            case .missingPrefix: "The address has no network prefix, like kaspa: in front."
            case .unknownPrefix: "The address has an unknown prefix; it must be one of \(Self.knownPrefixes)."
            case .mixedCase: "The address mixes upper-case and lower-case letters."
            case .invalidCharacter: "The address contains a character that no address has."
            case .wrongChecksum: "The address has a wrong checksum; it was mistyped or cut."
            case .unknownVersion: "The address has an unknown version."
            case .wrongLength: "The address has a wrong length."
            case .foreignNetwork: "The address belongs to another network."
            }
    }

    init(foreign prefix: AddressPrefix, on network: Network) {
        code = .foreignNetwork
        description =
            "The address belongs to another network: it begins with \(prefix.rawValue): "
            + "but \(network) expects \(network.addressPrefix.rawValue):."
    }

    private static var knownPrefixes: String {
        AddressPrefix.allCases.map { "\($0.rawValue):" }.joined(separator: ", ")
    }
}

extension AddressError: CustomStringConvertible {}
