import HTTPTypes
import Hummingbird
import NIOCore

/// The proxies whose `X-Forwarded-For` is trusted (`http.trusted_proxies`).
struct TrustedProxies: Sendable {
    private let blocks: [AddressBlock]

    init(_ blocks: [AddressBlock]) {
        self.blocks = blocks
    }

    /// Whether the address is that of a trusted proxy.
    func isTrusted(_ address: IPAddress) -> Bool { blocks.contains { $0.contains(address) } }

    /// The client's address: the last one in `X-Forwarded-For` that is not a trusted proxy, if a trusted proxy sent it.
    func client(remote: IPAddress, forwardedFor: String?) -> IPAddress {
        var current = remote
        for hop in (forwardedFor ?? "").split(separator: ",").reversed() {
            guard isTrusted(current), let next = IPAddress(hop.trimmed) else { break }
            current = next
        }
        return current
    }
}

extension TrustedProxies {
    /// The address of a request's client; nil without a socket.
    func client(of request: Request, _ context: APIRequestContext) -> IPAddress? {
        guard let remote = context.remoteAddress?.ipAddress.flatMap({ IPAddress($0) }) else { return nil }
        return client(remote: remote, forwardedFor: request.headers[.xForwardedFor])
    }
}

extension IPAddress {
    /// The client's key for limits: the IPv4 address, or the /64 of an IPv6 address.
    var limitKey: [UInt8] {
        bytes.count == 16 ? Array(bytes.prefix(8)) : bytes
    }
}
