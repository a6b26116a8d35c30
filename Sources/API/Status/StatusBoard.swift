import BuildInfo
import Synchronization

/// The data of the status page.
///
/// Figures are the metrics' current values, plots are sampled (`sample`), and events come from the log. Nothing in it
/// names a device, an address or a transaction.
package final class StatusBoard: Sendable {
    private let metrics: PrometheusRegistry
    private let events: RecentEvents
    private let network: String
    private let now: @Sendable () -> UInt64
    private let facts: @Sendable () async -> StatusFacts
    private let startedAt: UInt64
    private let history = Mutex(StatusHistory())

    /// `now` is the wall clock, milliseconds since 1970.
    package init(
        metrics: PrometheusRegistry, events: RecentEvents, network: String, now: @escaping @Sendable () -> UInt64,
        facts: @escaping @Sendable () async -> StatusFacts
    ) {
        self.metrics = metrics
        self.events = events
        self.network = network
        self.now = now
        self.facts = facts
        startedAt = now()
        let reading = StatusHistory.Reading(MetricsReading(metrics), lagSeconds: nil)
        _ = history.withLock { $0.record(reading, at: startedAt) }
    }

    /// The interval at which `sample` must be called.
    package static let interval = StatusHistory.interval

    /// Adds a sample to the plots.
    package func sample() async {
        let lag = await facts().chain.lagSeconds(at: now())
        let (reading, time) = (StatusHistory.Reading(MetricsReading(metrics), lagSeconds: lag), now())
        _ = history.withLock { $0.record(reading, at: time) }
    }

    /// The last hour's samples, oldest first.
    var samples: [StatusHistory.Sample] { history.withLock { $0.samples } }

    /// Everything but the history.
    func status() async -> JSONAnswer { .object(await members()) }

    /// Everything.
    func statusWithHistory() async -> JSONAnswer {
        .object(await members() + [("history", StatusHistory.answer(samples))])
    }

    private func members() async -> [(String, JSONAnswer)] {
        let facts = await facts()
        let time = now()
        let reading = MetricsReading(metrics)
        let rate = history.withLock { $0.deliveredPerSecond }
        let summary = StatusSummary(
            facts, lag: facts.chain.lagSeconds(at: time),
            oldestPush: reading.greatest("kasia_push_queue_oldest_seconds"),
            isStoreStalled: reading.value("kasia_store_write_stalled") == 1)
        return [
            ("time", .integer(time)), ("started_at", .integer(startedAt)), ("network", .string(network)),
            ("version", .string(Build.text)), ("ready", .boolean(facts.readiness.isReady)), ("summary", summary.answer),
            ("parts", .object(facts.readiness.parts.map { ($0.name, $0.answer(guide: GuideSection.of($0))) })),
            ("node", facts.node.answer), ("chain", facts.chain.answer(reading, node: facts.node, at: time)),
            ("push", reading.pushAnswer(perSecond: rate)),
            (
                "devices",
                .object([
                    ("registered", .optional(reading.value("kasia_devices"))),
                    ("watch_entries", .optional(reading.value("kasia_watch_entries"))),
                ])
            ),
            ("store", reading.storeAnswer), ("process", reading.processAnswer),
            ("members", .array(facts.members.map(\.answer))),
            ("events", .array(events.newestFirst.map(\.answer))),
        ]
    }
}
