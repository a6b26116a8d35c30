import Kaspa

/// The two aliases of a conversation, which both sides derive from their keys: 12 hex digits each.
public struct ConversationAliases: Hashable, Sendable {
    /// How aliases are derived; both forms are in use.
    public enum Form: Sendable, CaseIterable {
        /// What KaChat and Kasia write today.
        case chat
        /// Kasia's newer form, `dm_alias:v1`.
        case dmAliasV1
    }

    /// The one that messages to this wallet bear: what a registration lists in `aliases`.
    public let mine: String
    /// The one that messages of this wallet bear.
    public let theirs: String
}

extension MessageOpener {
    /// The aliases of the conversation with an address; nil when there is no key behind it.
    public func aliases(with other: String, form: ConversationAliases.Form) -> ConversationAliases? {
        guard let other = try? Address(parsing: other), let theirKey = other.xOnlyPublicKey,
            let shared = curve.sharedX(secret: secret, publicKey: theirKey)
        else { return nil }
        func alias(_ key: [UInt8]) -> String {
            let info =
                switch form {
                case .chat: Array("chat".utf8) + shared + key
                case .dmAliasV1: Array("dm_alias:v1".utf8) + key
                }
            return Hex.encode(KeyDerivation.bytes(from: shared, info: info, count: 6))
        }
        return ConversationAliases(mine: alias(address.payload), theirs: alias(theirKey))
    }
}
