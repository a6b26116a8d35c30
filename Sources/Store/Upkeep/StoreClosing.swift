/// Waits for a store's files or connections to be closed, and does not keep the store open.
///
/// The last reference to a store may go on a thread that nobody waits for, and RocksDB then waits for its compactions.
public struct StoreClosing: Sendable {
    private let end: AsyncStream<Never>

    init(_ end: AsyncStream<Never>) { self.end = end }

    /// Waits until the files are closed, at most for `limit`; whether they are.
    public func wait(atMost limit: Duration) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in end {}
                return !Task.isCancelled
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}

extension Store {
    /// To be taken before the last reference to this store goes.
    public var closing: StoreClosing { StoreClosing(backend.closing) }
}
