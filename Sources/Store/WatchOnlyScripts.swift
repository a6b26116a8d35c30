public import Kaspa
import Synchronization

/// The scripts that pay an address which some device watches for funds: what the node's transactions are held against.
///
/// The table holds 64-bit hashes under a key of this process's own, so nobody can choose addresses that collide, and a
/// count of devices for each. That is 12 bytes a slot and 16 to 32 bytes an address; while it grows, both tables exist.
/// It never shrinks before a restart, and the watch index bounds it. Reads come from any thread.
public final class WatchOnlyScripts: ScriptFilter {
    private let table = Mutex(CountedHashes())
    /// Addresses in the table, readable without the lock: mostly there are none.
    private let count = Atomic<Int>(0)

    init() {}

    public var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    public func mayContain(_ script: UnsafeRawBufferPointer) -> Bool {
        guard !isEmpty else { return false }
        let hash = WatchOnlyScripts.hash(script)
        return table.withLock { $0.contains(hash) }
    }

    /// Follows changes of the watch index, in their order.
    func apply(_ changes: [WatchOnlyChange]) {
        guard !changes.isEmpty else { return }
        table.withLock { table in
            for change in changes {
                let hash = Script(paying: change.address).bytes.withUnsafeBytes(WatchOnlyScripts.hash)
                if change.isAdded { table.insert(hash) } else { table.remove(hash) }
            }
            count.store(table.count, ordering: .releasing)
        }
    }

    /// Bytes that the table occupies.
    var tableBytes: Int { table.withLock { $0.byteCount } }

    private static func hash(_ script: UnsafeRawBufferPointer) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: script)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

/// A device began or ceased to watch an address for funds.
struct WatchOnlyChange: Equatable, Sendable {
    var address: Address
    var isAdded: Bool
}

/// Hashes with a count each: open addressing with linear probing, at most three quarters full.
struct CountedHashes {
    private static let smallest = 64

    // Zero is an empty slot; the hash zero counts as one.
    private var hashes: [UInt64] = []
    private var counts: [UInt32] = []
    /// Different hashes.
    private(set) var count = 0

    var byteCount: Int { hashes.capacity * 8 + counts.capacity * 4 }

    func contains(_ hash: UInt64) -> Bool {
        guard !hashes.isEmpty else { return false }
        return hashes[slot(of: max(hash, 1))] != 0
    }

    mutating func insert(_ hash: UInt64) {
        if (count + 1) * 4 > hashes.count * 3 { grow() }
        let hash = max(hash, 1)
        let slot = slot(of: hash)
        if hashes[slot] == 0 {
            hashes[slot] = hash
            counts[slot] = 0
            count += 1
        }
        counts[slot] += 1
    }

    /// Takes one off; a hash that is not there stays away.
    mutating func remove(_ hash: UInt64) {
        guard !hashes.isEmpty else { return }
        let slot = slot(of: max(hash, 1))
        guard hashes[slot] != 0 else { return }
        counts[slot] -= 1
        if counts[slot] == 0 { vacate(slot) }
    }

    /// Where the hash stands, or where it would.
    private func slot(of hash: UInt64) -> Int {
        let mask = hashes.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while hashes[slot] != 0, hashes[slot] != hash { slot = (slot + 1) & mask }
        return slot
    }

    /// Closes the gap, so that whoever stands behind it is still found: no tombstones that pile up.
    private mutating func vacate(_ slot: Int) {
        let mask = hashes.count - 1
        var gap = slot
        var next = (slot + 1) & mask
        while hashes[next] != 0 {
            let home = Int(truncatingIfNeeded: hashes[next]) & mask
            // Moves only to where a search from its home comes by.
            if (next - home) & mask >= (next - gap) & mask {
                hashes[gap] = hashes[next]
                counts[gap] = counts[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        hashes[gap] = 0
        counts[gap] = 0
        count -= 1
    }

    private mutating func grow() {
        let (oldHashes, oldCounts) = (hashes, counts)
        let size = max(CountedHashes.smallest, oldHashes.count * 2)
        hashes = [UInt64](repeating: 0, count: size)
        counts = [UInt32](repeating: 0, count: size)
        for (hash, count) in zip(oldHashes, oldCounts) where hash != 0 {
            let slot = slot(of: hash)
            hashes[slot] = hash
            counts[slot] = count
        }
    }
}

extension StoreReading {
    /// Every entry of the watch index that is about funds, a bounded stretch at a time.
    func watchOnlyEntries(
        network: Network, stretch: Int = 4_096, _ body: ([WatchOnlyChange]) -> Void
    ) throws(StoreError) {
        var entries: [WatchOnlyChange] = []
        try scan(.watchers, prefix: [WatchKey.fundsTag]) { (row) throws(StoreError) in
            entries.append(WatchOnlyChange(address: try WatchKey.fundsAddress(ofKey: row.key, network), isAdded: true))
            if entries.count == stretch {
                body(entries)
                entries.removeAll(keepingCapacity: true)
            }
            return true
        }
        body(entries)
    }
}

extension WatchKey {
    /// The address in a key that is about funds; the padding follows from its version.
    fileprivate static func fundsAddress(
        ofKey key: UnsafeRawBufferPointer, _ network: Network
    ) throws(StoreError) -> Address {
        let subject = Array(key.prefix(prefixBytes).dropFirst())
        guard let version = subject.first.flatMap(Address.Version.init(rawValue:)),
            let address = Address(storageKey: subject.prefix(1 + version.payloadByteCount), network: network)
        else { throw ByteReader.corrupt("watch index") }
        return address
    }
}
