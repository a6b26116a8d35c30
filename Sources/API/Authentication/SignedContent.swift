import Crypto
import Kaspa
import Push

/// The parts of a request that its signatures cover, besides `auth` itself.
struct SignedContent: Equatable {
    let method: String
    /// The path of the request line, without the query.
    let path: String
    /// The device token; nil for calls about a wallet, which sign the hash of nothing.
    let token: DeviceToken?
    var addresses = CanonicalList.empty
    var groupIDs = CanonicalList.empty
    var capabilities = CanonicalList.empty
    var primaryAddress = ""
    var aliases = CanonicalList.empty
    /// Whether the body shows that KaChat's app has sent it: the texts with its domain come first, as most likely the one
    /// that was signed.
    var isOfKachat = false

    /// A call that signs empty lists.
    init(method: String, path: String, token: DeviceToken?) {
        self.method = method
        self.path = path
        self.token = token
    }

    /// A register or update.
    init(method: String, path: String, registration: Registration) {
        self.init(method: method, path: path, token: DeviceToken(of: registration))
        addresses = CanonicalList(registration.watchedAddresses)
        groupIDs = CanonicalList(registration.watchedGroupIDs.map { Hex.encode($0) })
        capabilities = CanonicalList(registration.capabilities)
        primaryAddress = registration.primaryAddress?.description ?? ""
        aliases = CanonicalList(registration.aliases)
    }

    private var tokenHash: String {
        SHA256.hexDigest(of: Array((token?.signedText ?? "").utf8))
    }

    // MARK: Preimages

    /// A text that may have been signed, and whether it has KaChat's domain.
    struct Preimage {
        let text: String
        let isOfKachat: Bool
    }

    /// The texts that the wallet may have signed: with the domain of either app, and in version 1 with and without the
    /// line for groups.
    ///
    /// Some apps sign that line even without the member. A list of groups that is not empty needs the line, so that
    /// nobody can add unsigned groups. Each text is made only when it is looked at.
    func walletPreimages(_ auth: AuthObject) -> some Collection<Preimage> {
        let isSecond = auth.version == .two
        let domain = "push-auth:v\(isSecond ? 2 : 1)"
        let groupLine = "watched_group_ids_hash"
        let lines = [
            ("auth_version", isSecond ? "2" : nil),
            ("nonce", auth.nonce),
            ("method", method),
            ("path", path),
            ("device_token_hash", tokenHash),
            ("watched_addresses_hash", addresses.hash),
            (groupLine, groupIDs.hash),
            ("capabilities_hash", isSecond ? capabilities.hash : nil),
            ("primary_address", primaryAddress),
            ("aliases_hash", aliases.hash),
            ("wallet_pubkey", Hex.encode(auth.walletKey)),
            ("wallet_address", auth.walletAddress.description),
            ("timestamp_ms", String(auth.timestamp)),
            ("expires_at_ms", String(auth.expiresAt)),
        ]
        let mayLackLine = !isSecond && groupIDs.isEmpty
        return (mayLackLine ? [true, false] : [true]).lazy.flatMap { hasLine in
            texts(domain: domain, hasLine ? lines : lines.filter { $0.0 != groupLine })
        }
    }

    /// The texts that the device key may have signed, one for each domain.
    func devicePreimages(_ auth: AuthObject, _ device: DeviceAuthObject) -> some Collection<Preimage> {
        texts(
            domain: "push-device-auth:v1",
            [
                ("nonce", auth.nonce),
                ("method", method),
                ("path", path),
                ("device_token_hash", tokenHash),
                ("key_id", Hex.encode(device.keyID)),
                ("counter", String(device.counter)),
                ("timestamp_ms", String(auth.timestamp)),
                ("expires_at_ms", String(auth.expiresAt)),
            ])
    }

    /// The same lines with the domain of each app.
    private func texts(
        domain: String, _ lines: [(name: String, value: String?)]
    ) -> some Collection<Preimage> {
        [isOfKachat, !isOfKachat].lazy.map { isOfKachat in
            var text = "domain=\(isOfKachat ? "kchat" : "kasia")-\(domain)"
            for line in lines {
                guard let value = line.value else { continue }
                text += "\n\(line.name)=\(value)"
            }
            return Preimage(text: text, isOfKachat: isOfKachat)
        }
    }
}
