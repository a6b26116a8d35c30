import Crypto
import Kaspa

/// The texts that a wallet and a device key sign (registration-auth.md): lines of `name=value`, none of them empty.
package struct SignedText: Sendable {
    package let domain: SignatureDomain
    package let method: String
    package let path: String
    /// nil for calls about a wallet, which sign the hash of nothing.
    package let token: PushToken?
    package let challenge: PushChallenge

    package init(
        domain: SignatureDomain, method: String, path: String, token: PushToken?, challenge: PushChallenge
    ) {
        self.domain = domain
        self.method = method
        self.path = path
        self.token = token
        self.challenge = challenge
    }

    /// What the wallet signs; key and address are in lower case.
    package func ofWallet(_ lists: SignedLists, version: SignatureVersion, key: String, address: String) -> String {
        let isSecond = version == .v2
        let groups = lists.watchedGroupIDs ?? (isSecond ? [] : nil)
        return text([
            ("domain", "\(domain.rawValue)-push-auth:v\(version.rawValue)"),
            ("auth_version", isSecond ? "2" : nil),
            ("nonce", challenge.nonce),
            ("method", method),
            ("path", path),
            ("device_token_hash", tokenHash),
            ("watched_addresses_hash", SignedText.hash(lists.watchedAddresses.map(SignedText.lowered))),
            ("watched_group_ids_hash", groups.map { SignedText.hash($0.map(SignedText.lowered)) }),
            ("capabilities_hash", isSecond ? SignedText.hash(lists.capabilities.map(SignedText.lowered)) : nil),
            ("primary_address", SignedText.lowered(lists.primaryAddress ?? "")),
            ("aliases_hash", SignedText.hash(lists.aliases.map(\.trimmed))),
            ("wallet_pubkey", key),
            ("wallet_address", address),
            ("timestamp_ms", String(challenge.issuedAt)),
            ("expires_at_ms", String(challenge.expiresAt)),
        ])
    }

    /// What the device key signs.
    package func ofDevice(keyID: String, counter: UInt64) -> String {
        text([
            ("domain", "\(domain.rawValue)-push-device-auth:v1"),
            ("nonce", challenge.nonce),
            ("method", method),
            ("path", path),
            ("device_token_hash", tokenHash),
            ("key_id", keyID),
            ("counter", String(counter)),
            ("timestamp_ms", String(challenge.issuedAt)),
            ("expires_at_ms", String(challenge.expiresAt)),
        ])
    }

    private var tokenHash: String { token?.hash ?? SignedText.hash([]) }

    private func text(_ lines: [(name: String, value: String?)]) -> String {
        lines.compactMap { line in line.value.map { "\(line.name)=\($0)" } }.joined(separator: "\n")
    }

    /// Trimmed and in lower case: what can be signed so has no letters but ASCII's.
    static func lowered(_ text: String) -> String {
        String(
            decoding: text.trimmed.utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// The SHA-256 hex of a list: without empty members and repeats, sorted by bytes, joined by line feeds.
    private static func hash(_ members: [String]) -> String {
        let distinct = Set(members.map { Array($0.utf8) }).subtracting([[]])
        let sorted = distinct.sorted { $0.lexicographicallyPrecedes($1) }
        return Hex.encode(SHA256.hash(data: Array(sorted.joined(separator: [0x0a]))))
    }
}
