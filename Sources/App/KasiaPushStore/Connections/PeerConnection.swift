/// A site or device that the user connected to one of the wallet's addresses.
public struct PeerConnection: Hashable, Sendable {
    /// Methods that one connection may have, as many as the service's `capabilities`.
    public static let maximumMethods = 32

    /// Who is connected.
    public let peer: ConnectedPeer
    /// The address it is connected to.
    public let address: String
    /// The methods that the user granted; each 1 to 64 bytes.
    public let methods: Set<String>
    /// Milliseconds since 1970.
    public let connectedAt: Int64

    /// Takes what the user granted.
    public init(peer: ConnectedPeer, address: String, methods: Set<String>, connectedAt: Int64) {
        self.peer = peer
        self.address = address.lowercased()
        self.methods = methods
        self.connectedAt = connectedAt
    }
}

extension PeerConnection {
    func check() throws(StoreError) {
        try peer.check()
        _ = try Checked.address(address)
        guard methods.count <= PeerConnection.maximumMethods else {
            throw StoreError(.invalidValue, "methods: at most \(PeerConnection.maximumMethods)")
        }
        for method in methods { _ = try Checked.text(method, "method", Checked.nameBytes) }
    }
}
