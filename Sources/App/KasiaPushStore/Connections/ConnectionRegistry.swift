/// Which site or device is connected to which address: each to one address at a time.
public struct ConnectionRegistry: Sendable {
    /// Connections that are kept.
    public static let capacity = 256

    let database: Database

    /// Connects a peer, replacing its connection when it has one.
    ///
    /// - Throws: `tooMany` when 256 others are connected, `invalidValue`, or the file's trouble.
    public func connect(_ connection: PeerConnection) async throws(StoreError) {
        try connection.check()
        try await database.write { database throws(StoreError) in
            try database.disconnect(connection.peer)
            let count = try database.integer("SELECT count(*) FROM connections") ?? 0
            guard count < ConnectionRegistry.capacity else { throw StoreError(.tooMany, "\(count) connections") }
            try database.insert(connection)
        }
    }

    /// What to do with a peer's request.
    ///
    /// - Parameters:
    ///   - method: What it asks for.
    ///   - peer: Who asks, as the transport knows it, never as the request says.
    ///   - capabilities: What the app is capable of, by method; all else is refused.
    /// - Returns: To answer, to ask the user, or to refuse.
    /// - Throws: The file's trouble.
    public func decide(
        _ method: String, from peer: ConnectedPeer, capabilities: [String: MethodPolicy]
    ) async throws(StoreError) -> ConnectionDecision {
        ConnectionDecision(method, capabilities: capabilities, connection: try await connection(of: peer))
    }

    /// The peer's connection; nil when it is not connected.
    public func connection(of peer: ConnectedPeer) async throws(StoreError) -> PeerConnection? {
        try await database.read { database throws(StoreError) in try database.connection(of: peer) }
    }

    /// All connections, or those of one address; the latest first.
    public func connections(to address: String? = nil) async throws(StoreError) -> [PeerConnection] {
        let address = try address.map { (address) throws(StoreError) in try Checked.address(address) }
        return try await database.read { database throws(StoreError) in try database.connections(to: address) }
    }

    /// Ends a peer's connection; none is no error.
    public func disconnect(_ peer: ConnectedPeer) async throws(StoreError) {
        try await database.write { database throws(StoreError) in
            try database.disconnect(peer)
            try database.removeUnusedApps()
        }
    }

    /// Ends all connections.
    ///
    /// Registrations with the service stay: `signOut` ends those.
    public func clear() async throws(StoreError) {
        try await database.write { database throws(StoreError) in
            try database.run("DELETE FROM connections")
            try database.removeUnusedApps()
        }
    }
}
