import Logging
import Store
import Synchronization

/// Reports the progress of a store's migration to the log and to systemd.
///
/// Nothing else runs meanwhile; the port opens afterwards.
final class MigrationReporter: Sendable {
    /// How long systemd waits for the next report.
    ///
    /// A batch takes well under a second on any disk.
    static let patience = Duration.seconds(300)
    /// The time between two reports to systemd, and between two log lines.
    static let signInterval = Duration.seconds(1)
    static let lineInterval = Duration.seconds(10)

    private let logger: Logger
    private let notifier: SystemdNotifier?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let last = Mutex<(sign: ContinuousClock.Instant?, line: ContinuousClock.Instant?)>((nil, nil))

    init(
        logger: Logger, notifier: SystemdNotifier?,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.logger = logger
        self.notifier = notifier
        self.now = now
    }

    func report(_ progress: MigrationProgress) {
        let time = now()
        let (signs, tells) = last.withLock { last in
            let signs = last.sign.map { time - $0 >= MigrationReporter.signInterval } ?? true
            let tells = last.line.map { time - $0 >= MigrationReporter.lineInterval } ?? true
            if signs { last.sign = time }
            if tells { last.line = time }
            return (signs, tells)
        }
        if signs || progress.isFinished {
            notifier?.starting(
                "the store is migrated to schema version \(progress.target): \(progress.percent) %",
                within: MigrationReporter.patience)
        }
        guard tells || progress.isFinished else { return }
        logger.notice(
            progress.isFinished ? "store.migrated" : "store.migrating",
            metadata: [
                "schema_version": "\(progress.target)", "rows": "\(progress.rows)", "percent": "\(progress.percent)",
            ])
        guard progress.isFinished, progress.unreadable > 0 else { return }
        logger.error(
            "store.migration.unreadable",
            metadata: [
                "rows": "\(progress.unreadable)",
                "consequence": "they stay as they were; check says more, a backup may have them whole",
            ])
    }
}
