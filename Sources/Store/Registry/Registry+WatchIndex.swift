import Kaspa

extension Registry {
    /// A number of hashes that a walk hands over at once: the lock is held for well under a millisecond.
    static let fillStretch = 1_024

    /// Says, each time, that the filter of watched scripts has to be filled by `fillWatchedScripts`.
    ///
    /// For one listener. Until it is filled for the first time every script may be watched: right, and slow.
    public var watchedScriptRequests: AsyncStream<Void> { watchedScripts.fillRequests }

    /// Asks for another filling, as after one that failed.
    public func requestWatchedScripts() { watchedScripts.requestFilling() }

    /// Reads what is watched into the filter of watched scripts, on a thread of its own, while registrations go on.
    ///
    /// Returns how many addresses there are, each as often as devices watch it; nil if the task was cancelled. The filter
    /// is then what it was before, as it is after an error.
    @discardableResult
    public func fillWatchedScripts() async throws(StoreError) -> Int? {
        try await WatchedAddressWalker(network: network).fill(watchedScripts, from: database)
    }
}

/// Walks through all registrations on a thread of its own: twenty million addresses take a while.
private actor WatchedAddressWalker {
    private let network: Network
    private let executor = BlockingExecutor(label: "kasia.store.watch-index")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(network: Network) { self.network = network }

    func fill(_ scripts: WatchedScripts, from database: any CommittedRows) throws(StoreError) -> Int? {
        scripts.beginFilling(entries: Int(clamping: try database.value(of: .watchEntries)))
        do throws(StoreError) {
            var count = 0
            var stretch: [UInt64] = []
            stretch.reserveCapacity(Registry.fillStretch)
            try database.scanWatchedAddresses(on: network) { address in
                count += 1
                stretch.append(scripts.hash(of: address))
                guard stretch.count == Registry.fillStretch else { return true }
                scripts.fill(stretch)
                stretch.removeAll(keepingCapacity: true)
                return !Task.isCancelled
            }
            scripts.fill(stretch)
            guard !Task.isCancelled else {
                scripts.abandonFilling()
                return nil
            }
            scripts.endFilling()
            return count
        } catch {
            scripts.abandonFilling()
            throw error
        }
    }
}

/// How the addresses of a step are watched at the moment of its write: the look-ups that confirm the filter's hits.
struct WatchedAddresses {
    /// Those that some device watches, in whatever way.
    private(set) var any: Set<Address> = []
    /// Those that some device watches for funds.
    private(set) var funds: Set<Address> = []

    /// Three look-ups for an address; most end at the index's filter.
    init(among addresses: Set<Address>, _ reading: some StoreReading) throws(StoreError) {
        guard !addresses.isEmpty else { return }
        let addresses = Array(addresses)
        let keys = addresses.flatMap { [WatchKey.funds($0), .address($0), .primary($0)] }
        let isWatched = try reading.isWatched(keys)
        for (address, place) in zip(addresses, stride(from: 0, to: keys.count, by: 3)) {
            if isWatched[place] { funds.insert(address) }
            if isWatched[place] || isWatched[place + 1] || isWatched[place + 2] { any.insert(address) }
        }
    }
}
