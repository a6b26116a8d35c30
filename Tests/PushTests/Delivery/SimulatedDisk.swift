import Store
import Synchronization

/// A disk with unlucky moments, all from a seed: reads that fail, a write or sync that fails for good, little space.
final class SimulatedDisk: Sendable {
    /// What happened in one life of the store.
    struct Troubles: Sendable {
        var failedReads = 0
        /// Writes and syncs that failed: the store stops at the first.
        var failedChanges = 0
        /// How often there was too little space, and how often so little that nothing was to be written.
        var lowSpaces = 0
        var noSpaces = 0

        static func + (one: Troubles, other: Troubles) -> Troubles {
            Troubles(
                failedReads: one.failedReads + other.failedReads,
                failedChanges: one.failedChanges + other.failedChanges, lowSpaces: one.lowSpaces + other.lowSpaces,
                noSpaces: one.noSpaces + other.noSpaces)
        }
    }

    private struct State {
        var random = SeededRandom(seed: 0)
        /// One read in so many fails; nil: none.
        var readChance: UInt64?
        /// The commit and the sync that fail, counted from the life's beginning.
        var failingCommit: Int?
        var failingSync: Int?
        /// While the free bytes are asked for the n-th time, n in this range, there are so few.
        var scarce = 0..<0
        var scarceBytes: UInt64 = 0
        var commits = 0
        var syncs = 0
        var looks = 0
        var troubles = Troubles()
    }

    /// Whoever looks whether all is well is not fooled by the disk.
    @TaskLocal static var isOracle = false

    private static let limit: UInt64 = 8_000
    /// A step of dozens of reads, of which one in five fails, hardly ever comes to its end: it must some time.
    private static let mostFailedReads = 1_000
    static let limits: StoreLimits = {
        var limits = StoreLimits()
        limits.minimumFreeBytes = limit
        limits.queuedBeforeAnswer = limits.queuedOnProbation
        // So that every number that a device was given is that of a delivery.
        limits.numberedBeforeAnswer = 0
        return limits
    }()

    private let state = Mutex(State())

    var conditions: StoreConditions {
        StoreConditions(freeBytes: { _ in self.freeBytes() }) { (step) throws(StoreError) in try self.take(step) }
    }

    /// What went wrong since the last plan.
    var troubles: Troubles { state.withLock { $0.troubles } }

    /// Decides what goes wrong in the next life.
    func plan(_ random: inout SeededRandom) {
        var next = State()
        next.random = SeededRandom(seed: random.next())
        if random.hit(2) { next.readChance = 5 + random.next() % 200 }
        if random.hit(3) { next.failingCommit = Int(1 + random.next() % 60) }
        if random.hit(4) { next.failingSync = Int(1 + random.next() % 4) }
        if random.hit(3) {
            let start = Int(random.next() % 60)
            next.scarce = start..<start + Int(1 + random.next() % 40)
            next.scarceBytes = random.hit(2) ? SimulatedDisk.limit - 1 : 0
        }
        state.withLock { $0 = next }
    }

    /// From now on all goes well.
    func heal() { state.withLock { $0 = State() } }

    private func freeBytes() -> UInt64 {
        guard !SimulatedDisk.isOracle else { return .max }
        return state.withLock { state in
            defer { state.looks += 1 }
            guard state.scarce.contains(state.looks) else { return .max }
            state.troubles.lowSpaces += 1
            if state.scarceBytes == 0 { state.troubles.noSpaces += 1 }
            return state.scarceBytes
        }
    }

    private func take(_ step: StoreConditions.Step) throws(StoreError) {
        guard !SimulatedDisk.isOracle else { return }
        let isFailing = state.withLock { state in
            switch step {
            case .read:
                guard let chance = state.readChance, state.troubles.failedReads < SimulatedDisk.mostFailedReads,
                    state.random.hit(chance)
                else { return false }
                state.troubles.failedReads += 1
                return true
            case .commit:
                state.commits += 1
                guard state.commits == state.failingCommit else { return false }
            case .sync:
                state.syncs += 1
                guard state.syncs == state.failingSync else { return false }
            }
            state.troubles.failedChanges += 1
            return true
        }
        if isFailing { throw StoreError(.inputOutput, "\(step): IO error: simulated") }
    }
}
