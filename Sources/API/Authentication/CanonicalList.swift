import Crypto
import Kaspa

/// A list as signatures cover it: without repeats, sorted by bytes, hashed (app developer guide, "The text of a
/// registration").
///
/// Members are trimmed and, where case does not matter, in lower case, as in the stored registration.
struct CanonicalList: Equatable {
    private let members: [[UInt8]]

    init(_ members: [[UInt8]]) {
        var distinct: [[UInt8]] = []
        for member in members.sorted(by: { $0.lexicographicallyPrecedes($1) })
        where !member.isEmpty && member != distinct.last {
            distinct.append(member)
        }
        self.members = distinct
    }

    init(_ members: [String]) {
        self.init(members.map { Array($0.utf8) })
    }

    var isEmpty: Bool { members.isEmpty }

    /// SHA-256 of the members joined by line feeds, in hex.
    var hash: String {
        var hash = SHA256()
        for (index, member) in members.enumerated() {
            if index > 0 { hash.update(data: [UInt8(ascii: "\n")]) }
            hash.update(data: member)
        }
        return Hex.encode(hash.finalize())
    }
}

extension SHA256 {
    static func hexDigest(of bytes: [UInt8]) -> String { Hex.encode(hash(data: bytes)) }
}
