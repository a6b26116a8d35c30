import Logging
import RecordedLogs
import Store
import Synchronization
import Testing

@testable import KasiaPushIndexer

@Suite("MigrationReporter")
struct MigrationReporterTests {
    private static func progress(
        _ rows: UInt64, unreadable: UInt64 = 0, isFinished: Bool = false
    ) -> MigrationProgress {
        MigrationProgress(
            target: 2, rows: rows, expectedRows: 100, unreadable: unreadable, isFinished: isFinished)
    }

    @Test("The first batch and the end are told, and between them a line every ten seconds")
    func lines() {
        let time = Mutex(ContinuousClock.now)
        let log = RecordedLogs()
        let reporter = MigrationReporter(
            logger: log.logger, notifier: nil,
            now: { time.withLock { $0 } })
        for rows in UInt64(0)...20 {
            reporter.report(Self.progress(rows * 5))
            time.withLock { $0 += .seconds(1) }
        }
        reporter.report(Self.progress(101, unreadable: 1, isFinished: true))
        #expect(
            log.events.map { "\($0.message) \($0.metadata["percent"]?.description ?? "-")" } == [
                "store.migrating 0", "store.migrating 50", "store.migrating 99", "store.migrated 100",
                "store.migration.unreadable -",
            ])
    }

    @Test("A percentage is 0 to 99 until the end, whatever the estimate", arguments: [0, 1, 99, 100, 101, UInt64.max])
    func percent(_ expected: UInt64) {
        for rows in [0, 1, 98, 99, 100, 101, UInt64.max] {
            var progress = Self.progress(rows)
            progress.expectedRows = expected
            #expect((0...99).contains(progress.percent))
            progress.isFinished = true
            #expect(progress.percent == 100)
        }
    }
}
