extension SQLiteConnection {
    func connection(of peer: ConnectedPeer) throws(StoreError) -> PeerConnection? {
        switch peer {
        case .site(let app):
            guard let id = try find(app) else { return nil }
            return try withMethods(
                rows(
                    """
                    SELECT connections.id, device, address, connected_at, domain, uri, scheme
                    FROM connections JOIN apps ON apps.id = app WHERE app = ?
                    """, [.integer(id)], ConnectionRow.init(row:))
            ).first
        case .device(let id):
            return try withMethods(
                rows(
                    """
                    SELECT id, device, address, connected_at, NULL, NULL, NULL FROM connections WHERE device = ?
                    """, [.text(id)], ConnectionRow.init(row:))
            ).first
        }
    }

    func connections(to address: String?) throws(StoreError) -> [PeerConnection] {
        try withMethods(
            rows(
                """
                SELECT connections.id, device, address, connected_at, domain, uri, scheme
                FROM connections LEFT JOIN apps ON apps.id = app
                WHERE ?1 IS NULL OR address = ?1 ORDER BY connected_at DESC, connections.id DESC
                """, [.text(address)], ConnectionRow.init(row:)))
    }

    func insert(_ connection: PeerConnection) throws(StoreError) {
        var app: Int64?
        var device: String?
        switch connection.peer {
        case .site(let metadata): app = try findOrInsert(metadata)
        case .device(let id): device = id
        }
        try run(
            "INSERT INTO connections (app, device, address, connected_at) VALUES (?, ?, ?, ?)",
            [.integer(app), .text(device), .text(connection.address), .integer(connection.connectedAt)])
        let id = lastInsertedRow
        for method in connection.methods {
            try run("INSERT INTO granted_methods (connection, method) VALUES (?, ?)", [.integer(id), .text(method)])
        }
    }

    func disconnect(_ peer: ConnectedPeer) throws(StoreError) {
        switch peer {
        case .site(let app):
            guard let id = try find(app) else { return }
            try run("DELETE FROM connections WHERE app = ?", [.integer(id)])
        case .device(let id):
            try run("DELETE FROM connections WHERE device = ?", [.text(id)])
        }
    }

    private func withMethods(_ found: [ConnectionRow]) throws(StoreError) -> [PeerConnection] {
        var connections: [PeerConnection] = []
        for row in found {
            let methods = try rows("SELECT method FROM granted_methods WHERE connection = ?", [.integer(row.id)]) {
                (row) throws(StoreError) in try row.text(0)
            }
            connections.append(
                PeerConnection(
                    peer: row.peer, address: row.address, methods: Set(methods), connectedAt: row.connectedAt))
        }
        return connections
    }
}

/// A row of the connections, without its methods.
private struct ConnectionRow {
    let id: Int64
    let peer: ConnectedPeer
    let address: String
    let connectedAt: Int64

    init(row: borrowing SQLiteStatement) throws(StoreError) {
        id = row.integer(0)
        if let app = try AppMetadata(row: row, at: 4) {
            peer = .site(app)
        } else {
            peer = .device(try row.text(1))
        }
        address = try row.text(2)
        connectedAt = row.integer(3)
    }
}
