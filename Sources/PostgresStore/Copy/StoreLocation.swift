package import Kaspa
package import Store

/// A store as an operator names it: a RocksDB directory, or a schema of a PostgreSQL database.
package enum StoreLocation: Sendable, CustomStringConvertible {
    case directory(String)
    case database(PostgresStore.Location)

    /// A URL with the scheme `postgresql` or `postgres` is a database; all else is a directory's path.
    package init(_ text: String, passwordFile: String? = nil) {
        self =
            PostgresStore.Location.isURL(text)
            ? .database(.init(url: text, passwordFile: passwordFile)) : .directory(text)
    }

    /// For people; never a password.
    package var description: String {
        switch self {
        case .directory(let path): path
        case .database(let location): location.target
        }
    }

    /// How long the end of a copy waits for files or connections to be closed.
    private static let closingTime = Duration.seconds(10)

    /// Copies this store into the other one, which must be empty or hold a part of the same copy; both are closed on
    /// return.
    ///
    /// No other process can write to either meanwhile. `limits` are those of the service. Errors: those of
    /// `StoreCopy.run` and of opening, among them `.locked` while a service has one of the two open.
    package func copy(
        to target: StoreLocation, network: Network, limits: StoreLimits = StoreLimits(),
        rowsPerBatch: Int = StoreCopy.rowsPerBatch, _ progress: (ColumnFamily, UInt64) -> Void = { _, _ in }
    ) async throws -> StoreCheck {
        var closings: [StoreClosing] = []
        let outcome: Result<StoreCheck, any Error>
        do {
            outcome = .success(
                try await copy(
                    to: target, network: network, limits: limits, rowsPerBatch: rowsPerBatch, &closings, progress))
        } catch {
            outcome = .failure(error)
        }
        for closing in closings { _ = await closing.wait(atMost: StoreLocation.closingTime) }
        return try outcome.get()
    }

    /// Releases both stores at its end, and the source's lock.
    private func copy(
        to target: StoreLocation, network: Network, limits: StoreLimits, rowsPerBatch: Int,
        _ closings: inout [StoreClosing], _ progress: (ColumnFamily, UInt64) -> Void
    ) async throws -> StoreCheck {
        let (source, lock) = try openSource(network: network, limits: limits)
        defer { withExtendedLifetime(lock) {} }
        closings.append(source.closing)
        let empty = try target.openTarget(network: network, limits: limits)
        closings.append(empty.closing)
        return try await StoreCopy(from: source, to: empty, rowsPerBatch: rowsPerBatch).run(progress)
    }

    /// Opens a store that is there, and keeps others from writing to it.
    private func openSource(
        network: Network, limits: StoreLimits
    ) throws(StoreError) -> (store: Store, lock: DirectoryLock?) {
        switch self {
        case .directory(let path):
            let lock = try DirectoryLock(path)
            return (try Store(path: path, network: network, limits: limits, readOnly: true), lock)
        case .database(let location):
            // To be opened to write, which takes the lock, it must be there: that would make one.
            _ = try PostgresStore.open(location, network: network, limits: limits, readOnly: true)
            return (try PostgresStore.open(location, network: network, limits: limits), nil)
        }
    }

    private func openTarget(network: Network, limits: StoreLimits) throws(StoreError) -> Store {
        switch self {
        case .directory(let path):
            try Store(
                path: path, network: network, limits: limits, conditions: StoreConditions(), acceptsPartialCopy: true)
        case .database(let location):
            try PostgresStore.open(
                location, network: network, limits: limits, readOnly: false, acceptsPartialCopy: true)
        }
    }
}
