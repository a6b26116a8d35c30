import Dispatch
import Kaspa
import PostgresStore
import Store

/// Where the configured store is, and how everybody opens it.
extension StoreSettings {
    /// The server that keeps the rows; nil: they are in the directory `path`.
    var server: PostgresStore.Location? {
        url.map { PostgresStore.Location(url: $0, passwordFile: passwordPath) }
    }

    /// Where the rows are, for people; never a password.
    var location: String { server?.target ?? path }

    /// The setting that says where the store is, and what it says, for messages; never a password.
    var place: String { (server == nil ? "store.path " : "store.url ") + location }

    /// The engine's name in metrics.
    var engineName: String { server == nil ? "rocksdb" : "postgresql" }

    /// Refuses what is about RocksDB's files where a server keeps the rows; `advice` says what to do instead.
    ///
    /// Errors: `.unsupported`.
    func requireDirectory(orElse advice: String) throws(StoreError) {
        guard server != nil else { return }
        throw StoreError(.unsupported, "this command is for a store in a directory: \(advice)")
    }

    /// Whether there may be a store: a directory without one is seen at once, a server has to be asked.
    var mayBePresent: Bool { server != nil || StoreFiles.arePresent(in: path) }

    /// Whether there is a store; a server that cannot be reached has none for the moment.
    func isPresent(network: Network) async -> Bool {
        guard server != nil else { return mayBePresent }
        return (try? await open(network: network, readOnly: true, older: .keep)) != nil
    }

    /// Opens the store, and makes one if `creates`.
    ///
    /// Waits on a thread of its own: a server that cannot be reached takes its time. Errors: `StoreError`.
    func open(
        network: Network, limits: StoreLimits = StoreLimits(), readOnly: Bool = false, older: OlderStore = .migrate(),
        creates: Bool = true, standby: StandbyWatch? = nil, shards: Int? = nil
    ) async throws(StoreError) -> Store {
        let (server, path) = (server, path)
        return try await onThread { () throws(StoreError) -> Store in
            guard let server else {
                return try Store(path: path, network: network, limits: limits, readOnly: readOnly, older: older)
            }
            // Reading says whether there is one.
            if !readOnly, !creates {
                _ = try PostgresStore.open(server, network: network, limits: limits, readOnly: true)
            }
            return try PostgresStore.open(
                server, network: network, limits: limits, readOnly: readOnly, standby: standby, shards: shards)
        }
    }

    /// Opens a shard other than 0 to send to its devices; waits as `open` does.
    ///
    /// Errors: `StoreError`, `.locked` while another process works on it.
    func openShard(
        _ shard: Int, network: Network, limits: StoreLimits, standby: StandbyWatch
    ) async throws(StoreError) -> StoreShard {
        guard let server else { throw StoreError(.unsupported, "a directory has no shards") }
        let count = shards
        return try await onThread { () throws(StoreError) -> StoreShard in
            try PostgresStore.openShard(
                shard, of: count, server, network: network, limits: limits, standby: standby)
        }
    }

    /// Opens a shard of a store that is open to write, for a command: no process may work on it.
    ///
    /// Errors: `StoreError`, `.locked` while one does.
    func openShard(_ shard: Int, of store: Store) async throws(StoreError) -> StoreShard {
        guard let server else { throw StoreError(.unsupported, "a directory has no shards") }
        let (count, network) = (store.shards.count, store.network)
        return try await onThread { () throws(StoreError) -> StoreShard in
            try PostgresStore.openShard(shard, of: count, server, network: network)
        }
    }

    /// Runs what waits for a server on a thread of its own.
    private func onThread<Opened: Sendable>(
        _ open: @escaping @Sendable () throws(StoreError) -> Opened
    ) async throws(StoreError) -> Opened {
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(returning: Result { () throws(StoreError) -> Opened in try open() })
            }
        }
        return try result.get()
    }
}
