#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What the machine does to a store: the real one in the service, a script in tests of failures.
package struct StoreConditions: Sendable {
    /// What is about to happen when a script may let it fail.
    package enum Step: Sendable { case read, commit, sync }

    /// Bytes that this process may still write to the disk of a directory; nil when nobody can tell.
    package var freeBytes: @Sendable (String) -> UInt64?
    /// Asked before each step; what it throws, the step throws.
    ///
    /// nil: no script.
    package var before: (@Sendable (Step) throws(StoreError) -> Void)?
    /// Addresses that the smallest filter of watched scripts is made for.
    package var smallestWatchFilter = WatchedScripts.smallestCapacity
    /// Bytes that `RowCache` may take; operations may take as much again.
    package var rowCacheBytes = RowCache.capacity
    /// Rows of an older store that one batch of its migration looks at.
    package var migrationRows = 1_000

    package init(
        freeBytes: @escaping @Sendable (String) -> UInt64? = StoreConditions.freeBytes,
        before: (@Sendable (Step) throws(StoreError) -> Void)? = nil
    ) {
        self.freeBytes = freeBytes
        self.before = before
    }

    /// What the file system says, without what it reserves for root.
    package static let freeBytes: @Sendable (String) -> UInt64? = { path in
        var information = statvfs()
        // As an argument the String would be copied each time, a tenth of the call's cost.
        guard path.withCString({ statvfs($0, &information) }) == 0 else { return nil }
        let (bytes, overflow) = UInt64(information.f_bavail).multipliedReportingOverflow(
            by: UInt64(information.f_frsize))
        return overflow ? .max : bytes
    }
}
