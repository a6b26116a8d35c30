/// Proxies that may say whom they speak for (`http.trusted_proxies`).
struct TrustedProxies: Sendable {
    private let blocks: [AddressBlock]

    init(_ blocks: [AddressBlock]) {
        self.blocks = blocks
    }

    /// The client's address: the last one in `X-Forwarded-For` that is not a trusted proxy, if a trusted one sent it.
    func client(remote: IPAddress, forwardedFor: String?) -> IPAddress {
        var current = remote
        for hop in (forwardedFor ?? "").split(separator: ",").reversed() {
            guard blocks.contains(where: { $0.contains(current) }), let next = IPAddress(hop.trimmed) else { break }
            current = next
        }
        return current
    }
}

extension IPAddress {
    /// Names the client for limits: an IPv6 client has at least a /64 to itself.
    var limitKey: [UInt8] {
        bytes.count == 16 ? Array(bytes.prefix(8)) : bytes
    }
}
