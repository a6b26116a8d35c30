public import Kaspa
import Synchronization

/// The scripts that pay an address which some device watches in any way: what the node's transactions are checked
/// against.
///
/// Twenty million addresses do not fit into memory one by one, so this is a Bloom filter of some 15 bits an address: a
/// "no" is certain, and the writer confirms a hit in the watch index (`WatchedAddresses`). The hashes are under a
/// secret key, so nobody can choose addresses that collide. Reads come from any thread.
///
/// **Nothing is missed.** The filter is filled by a walk through all registrations, at the start and again when it has
/// grown too full, while registrations go on. Until the first walk is over every script may be watched. For a later one
/// three things hold:
/// 1. The filter to be filled is in place before the walk's view of them is taken (`beginFilling`, then the scan).
/// 2. The writer inserts what a registration adds after its commit and before its answer, into the filter that is asked
///    and into the one that is being filled, under one lock.
/// 3. So a registration that is answered when the walk ends was inserted after the filter was in place, and stands in
///    it; or before, and then it was committed before the view was taken, and the walk finds it.
///
/// After an orderly stop the filter is the one that the stop left, if nothing was written since (`WatchFilterFile`): it
/// was complete then, and is complete now.
///
/// What is no longer watched stays in the filter until the next walk: it costs a look-up in the index.
///
/// An acceptance is missed by a registration's device only if the node told of it before the registration was in the
/// filter, which is before it was answered: it was accepted before the address was watched.
public final class WatchedScripts: ScriptFilter {
    /// The smallest filter: 80 KiB.
    package static let smallestCapacity = 65_536

    /// How many more addresses have room after a walk, at least, in multiples of the smallest filter's.
    ///
    /// With the default it is a million, in 1.3 MB. A store that grows from nothing would else be walked through again
    /// and again.
    static let smallestRoom = 16

    private struct State {
        /// The filter that is asked; nil before the registrations were read: then every script may be watched.
        var filter: BlockedBloomFilter?
        /// The filter that a walk through the registrations fills.
        var filling: BlockedBloomFilter?
        /// Addresses that the present walk has found, and the last one if they were more than its filter was made for.
        var walked = 0
        var found = 0
    }

    private let state = Mutex(State())
    /// Whether it is known that nothing is watched; readable without the lock.
    private let hasNone = Atomic<Bool>(false)
    private let smallestCapacity: Int
    let keyedHash: SipHash
    /// Says that the registrations are to be read.
    let fillRequests: AsyncStream<Void>
    private let requestSink: AsyncStream<Void>.Continuation

    package convenience init(smallestCapacity: Int = WatchedScripts.smallestCapacity) {
        self.init(smallestCapacity: smallestCapacity, hash: SipHash())
    }

    init(smallestCapacity: Int, hash: SipHash) {
        self.smallestCapacity = smallestCapacity
        keyedHash = hash
        (fillRequests, requestSink) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether it is known that nothing is watched; false before the registrations were read.
    public var isEmpty: Bool { hasNone.load(ordering: .acquiring) }

    /// Whether some device may watch the address that the script pays; before the registrations were read, true for whatever
    /// pays one.
    public func mayContain(_ script: UnsafeRawBufferPointer) -> Bool {
        guard !isEmpty, let hash = hash(ofScript: script) else { return false }
        return state.withLock { $0.filter?.contains(hash) ?? true }
    }

    /// Bytes that the filters occupy.
    var filterBytes: Int { state.withLock { ($0.filter?.byteCount ?? 0) + ($0.filling?.byteCount ?? 0) } }

    /// Whether the registrations were read, so that strangers' scripts are told apart.
    public var isFilled: Bool { state.withLock { $0.filter != nil } }

    /// What is asked, with all that is watched in it; nil before the registrations were read, and if nothing is watched.
    var completeFilter: BlockedBloomFilter? { isEmpty ? nil : state.withLock { $0.filter } }

    // MARK: Registrations

    /// Takes in what a committed registration watches, before anybody hears of the success.
    func insert(_ addresses: [Address]) {
        guard !addresses.isEmpty else { return }
        let hashes = addresses.map(hash(of:))
        let isOverfull = state.withLock { state in
            for hash in hashes {
                state.filter?.insert(hash)
                state.filling?.insert(hash)
            }
            hasNone.store(false, ordering: .releasing)
            return state.filter?.isOverfull == true && state.filling == nil
        }
        if isOverfull { requestFilling() }
    }

    // MARK: Filling

    /// Nothing is watched: no walk is needed.
    func beginEmpty() {
        let filter = BlockedBloomFilter(capacity: smallestCapacity)
        state.withLock { $0.filter = filter }
        hasNone.store(true, ordering: .releasing)
    }

    /// Goes on with a filter of the same hash that holds all that is watched.
    func begin(with filter: BlockedBloomFilter) {
        state.withLock { $0.filter = filter }
        if filter.isOverfull { requestFilling() }
    }

    /// Asks whoever follows `fillRequests` for a walk.
    func requestFilling() { requestSink.yield() }

    /// Must come before the walk's view of the registrations is taken; `entries` is how many addresses they may have.
    func beginFilling(entries: Int) {
        let found = state.withLock { $0.found }
        // Half as many more can come before the next walk, or `smallestRoom`, whichever is more.
        let present = max(entries, found)
        let (capacity, overflow) = present.addingReportingOverflow(
            max(present / 2, smallestCapacity * WatchedScripts.smallestRoom))
        let filling = BlockedBloomFilter(capacity: overflow ? Int.max >> 8 : min(capacity, Int.max >> 8))
        state.withLock { ($0.filling, $0.walked) = (filling, 0) }
    }

    /// Takes in a stretch of the walk.
    func fill(_ hashes: [UInt64]) {
        state.withLock { state in
            for hash in hashes { state.filling?.insert(hash) }
            state.walked += hashes.count
        }
    }

    /// The walk has seen every row: from now on its filter is asked.
    func endFilling() {
        let isOverfull = state.withLock { state in
            guard let filling = state.filling else { return false }
            (state.filter, state.filling) = (filling, nil)
            // Not the filter's own count: a filter that is much too full finds most new hashes in it already.
            state.found = filling.isOverfull ? state.walked : 0
            // A registration's insertion waits for this lock and says otherwise.
            hasNone.store(filling.count == 0, ordering: .releasing)
            return filling.isOverfull
        }
        if isOverfull { requestFilling() }
    }

    /// The walk ended early: everything stays as it was before.
    func abandonFilling() { state.withLock { $0.filling = nil } }

    // MARK: Hashes

    /// Bytes of an address in the watch index: version and payload, padded with zeros.
    static let subjectBytes = WatchKey.prefixBytes - 1

    /// The hash of the address that a script pays; nil if it pays none.
    func hash(ofScript script: UnsafeRawBufferPointer) -> UInt64? {
        guard let part = Script.addressPart(of: script) else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: WatchedScripts.subjectBytes, alignment: 8) { subject in
            subject.initializeMemory(as: UInt8.self, repeating: 0)
            subject[0] = part.version.rawValue
            UnsafeMutableRawBufferPointer(rebasing: subject[1...]).copyMemory(from: part.payload)
            return keyedHash.hash(UnsafeRawBufferPointer(subject))
        }
    }

    /// The same hash, of an address.
    func hash(of address: Address) -> UInt64 {
        withUnsafeTemporaryAllocation(byteCount: WatchedScripts.subjectBytes, alignment: 8) { subject in
            subject.initializeMemory(as: UInt8.self, repeating: 0)
            address.copyStorageKey(to: subject)
            return keyedHash.hash(UnsafeRawBufferPointer(subject))
        }
    }
}
