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
        creates: Bool = true, standby: StandbyWatch? = nil
    ) async throws(StoreError) -> Store {
        let (server, path) = (server, path)
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(
                    returning: Result { () throws(StoreError) -> Store in
                        guard let server else {
                            return try Store(
                                path: path, network: network, limits: limits, readOnly: readOnly, older: older)
                        }
                        // Reading says whether there is one.
                        if !readOnly, !creates {
                            _ = try PostgresStore.open(server, network: network, limits: limits, readOnly: true)
                        }
                        return try PostgresStore.open(
                            server, network: network, limits: limits, readOnly: readOnly, standby: standby)
                    })
            }
        }
        return try result.get()
    }
}
