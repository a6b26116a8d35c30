import Synchronization

/// What a change does to the disk.
package enum StoreChange: Sendable {
    /// Takes a registration in, new or changed: refused long before the rest, so that strangers cannot stop the chain.
    case registration
    /// Takes something new in: blocks, events, deliveries.
    case growth
    /// Ends or forgets what is there, or is small and rare.
    case upkeep
}

/// Whether the store may be written to: nothing new while its disk is nearly full, and nothing at all once it failed.
///
/// The first passes by itself. The second lasts until a restart: RocksDB 7.8 with its assertions on, as Debian builds
/// it, ends the process when a log is synced to which a write has failed, and whether what follows on such a log can be
/// read again is nothing to build on. A restart reads what was synced, which is all that was acknowledged.
final class WriteAdmission: Sendable {
    /// Below this part of the limit nothing is written at all: a write that finds no space would need a restart.
    static let lastReserve: UInt64 = 8
    /// Below so many times the limit no registration is taken in.
    static let registrationReserve: UInt64 = 2

    private let path: String
    private let minimumFreeBytes: UInt64
    private let freeBytes: @Sendable (String) -> UInt64?
    /// How often RocksDB's own work in the background has failed.
    private let backgroundErrors: @Sendable () -> UInt64
    private let failure = Mutex<StoreError?>(nil)

    init(
        path: String, minimumFreeBytes: UInt64, freeBytes: @escaping @Sendable (String) -> UInt64?,
        backgroundErrors: @escaping @Sendable () -> UInt64
    ) {
        self.path = path
        self.minimumFreeBytes = minimumFreeBytes
        self.freeBytes = freeBytes
        self.backgroundErrors = backgroundErrors
    }

    /// Why such a change is refused at the moment; nil while it is not.
    ///
    /// The sentence stays the same as long as the reason does.
    func trouble(with change: StoreChange) -> StoreError? {
        if let failure = knownFailure() { return failure }
        guard minimumFreeBytes > 0, let free = freeBytes(path) else { return nil }
        let (limit, consequence): (UInt64, String) =
            switch change {
            case .registration: (registrationLimit, "no registrations are taken in")
            case .growth: (minimumFreeBytes, "nothing new is taken in")
            case .upkeep: (minimumFreeBytes / WriteAdmission.lastReserve, "nothing is written")
            }
        guard free < limit else { return nil }
        return StoreError(
            .lowSpace,
            "less than \(limit) bytes are free on the disk of \(path) (store.min_free_space): \(consequence) until "
                + "there is more")
    }

    private var registrationLimit: UInt64 {
        let (limit, overflow) = minimumFreeBytes.multipliedReportingOverflow(by: WriteAdmission.registrationReserve)
        return overflow ? .max : limit
    }

    func check(_ change: StoreChange) throws(StoreError) {
        if let trouble = trouble(with: change) { throw trouble }
    }

    /// Writes or syncs, unless that has failed before.
    func perform(_ action: () throws(StoreError) -> Void) throws(StoreError) {
        if let failure = knownFailure() { throw failure }
        do {
            try action()
        } catch {
            throw stop(after: error.message)
        }
    }

    private func knownFailure() -> StoreError? {
        if let failure = failure.withLock({ $0 }) { return failure }
        guard backgroundErrors() > 0 else { return nil }
        return stop(after: "a flush or compaction in the background")
    }

    /// The first failure is the one that is told.
    private func stop(after cause: String) -> StoreError {
        let error = StoreError(
            .stopped,
            "nothing is written any more since this failed: \(cause). All that was acknowledged is kept. Free space "
                + "on the disk of \(path), or make it writable, then restart")
        return failure.withLock { failure in
            failure = failure ?? error
            return failure ?? error
        }
    }
}

extension Store {
    /// Why nothing, or nothing new, is written at the moment, for the operator; nil while all is well.
    public var trouble: StoreError? { backend.trouble(with: .growth) }

    /// Why no registration is taken in at the moment; nil while all is well.
    public var registrationTrouble: StoreError? { backend.trouble(with: .registration) }

    /// Throws `trouble`: for whoever can spare the work before a change that takes something in.
    public func checkRoom() throws(StoreError) { try backend.check(.growth) }

    /// Throws when nothing at all is written: not even the end of what is there.
    public func checkWritable() throws(StoreError) { try backend.check(.upkeep) }
}
