import Crypto
import Kaspa

/// A list as signatures cover it (registration-auth.md, "Challenge"): without repeats, sorted by bytes, hashed.
///
/// Members come trimmed and, where case does not matter, in lower case: as the registration that is stored has them.
struct CanonicalList: Equatable {
    private let members: [[UInt8]]

    init(_ members: [[UInt8]]) {
        self.members = Set(members).filter { !$0.isEmpty }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    init(_ members: [String]) {
        self.init(members.map { Array($0.utf8) })
    }

    /// SHA-256 of the members joined by line feeds, in hex.
    var hash: String {
        SHA256.hexDigest(of: Array(members.joined(separator: [UInt8(ascii: "\n")])))
    }
}

extension SHA256 {
    static func hexDigest(of bytes: [UInt8]) -> String { Hex.encode(hash(data: bytes)) }
}
