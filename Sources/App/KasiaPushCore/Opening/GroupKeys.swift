import Crypto
import Kaspa

/// The keys of a group that a member has; they print as `…`.
public struct GroupKeys: Hashable, Sendable, Redacted {
    /// Bytes of the id and of each key.
    static let keyBytes = 32

    /// The group's id, 64 hex digits.
    public var id: String { Hex.encode(idBytes) }
    /// The group's name, to be shown.
    public var name: String?
    /// The members' addresses, in lower case; nil: whoever has the keys counts as a member.
    ///
    /// A member who was removed still has the keys of the epochs before.
    public var members: Set<String>?

    let idBytes: [UInt8]
    private let blindingKey: [UInt8]
    private let roots: [UInt64: [UInt8]]
    private let seed: [UInt8]?

    /// Takes what a member was given: 32 bytes each, and the root of every epoch that is known.
    ///
    /// nil for another length.
    public init?(
        id: [UInt8], blindingKey: [UInt8], roots: [UInt64: [UInt8]], name: String? = nil,
        members: Set<String>? = nil
    ) {
        let lengths = [id.count, blindingKey.count] + roots.values.map(\.count)
        guard lengths.allSatisfy({ $0 == GroupKeys.keyBytes }) else { return nil }
        idBytes = id
        self.blindingKey = blindingKey
        self.roots = roots
        seed = nil
        self.name = name
        self.members = members
    }

    /// Derives everything from the seed that the group's admin has, 32 bytes; nil for another length.
    public init?(seed: [UInt8], name: String? = nil, members: Set<String>? = nil) {
        guard seed.count == GroupKeys.keyBytes else { return nil }
        idBytes = Array(SHA256.hash(data: Array("ciph_msg:groupid".utf8) + seed))
        blindingKey = KeyDerivation.bytes(from: seed, salt: idBytes, info: Array("kasia:blinding_key".utf8))
        roots = [:]
        self.seed = seed
        self.name = name
        self.members = members
    }

    /// The group's id as a member with this x-only key blinds it, 32 bytes; nil for a key of another length.
    ///
    /// Registrations watch the ids of all members: see `watched_group_ids`.
    public func blindedID(ofMember key: [UInt8]) -> [UInt8]? {
        guard key.count == GroupKeys.keyBytes else { return nil }
        return KeyDerivation.bytes(from: blindingKey, salt: key, info: Array("kasia:blinded_gid".utf8))
    }

    /// The key that all of an epoch's keys are derived from; nil for an epoch that is not known.
    func root(ofEpoch epoch: UInt64) -> [UInt8]? {
        roots[epoch]
            ?? seed.map { KeyDerivation.bytes(from: $0, salt: salt(epoch), info: Array("kasia:groot".utf8)) }
    }

    /// The id and the epoch, little-endian.
    func salt(_ epoch: UInt64) -> [UInt8] { idBytes + GroupKeys.bytes(epoch) }

    static func bytes(_ epoch: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: epoch >> UInt64(8 * $0)) }
    }
}
