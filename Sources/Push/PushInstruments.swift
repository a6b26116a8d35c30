import KasiaProtocol
import Metrics
import Policy
import Store

/// The metrics of pushes, made once for each owner.
///
/// What is a level and not a count, a shard other than 0 shows under its number.
struct PushInstruments: Sendable {
    /// Why a device left the registry.
    enum RemovalReason: String {
        case unregistered, gone
        case invalidToken = "invalid_token"
        /// The carrier has not accepted the token within a week.
        case neverAccepted = "never_accepted"
        /// A wallet registered more devices than it may have.
        case walletLimit = "wallet_limit"
        /// There were as many devices as there may be, and no carrier had ever accepted this one's token.
        case evicted = "gave_way"
        /// The operator removed it by hand.
        case byOperator = "operator"
    }

    enum RingOutcome: String {
        case delivered, failed
        /// Apple calls the VoIP token dead.
        case deadToken = "dead_token"
        /// The call had waited for too long.
        case tooLate = "too_late"
    }

    let pushes = PushCounters()
    /// nil: shard 0, whose levels bear no number.
    private let shard: Int?
    private let sendSeconds = PerCarrier {
        Metrics.Timer(label: "kasia_push_send_seconds", dimensions: [("carrier", $0.label)])
    }
    private let chainToWireSeconds = Metrics.Timer(label: "kasia_push_chain_to_wire_seconds")
    private let queued: Gauge
    private let inFlight: Gauge
    private let paused: PerCarrier<Gauge>
    private let oldestSeconds: Gauge
    private let deadLetters: Gauge

    init(shard: Int = 0) {
        let shard = shard == 0 ? nil : shard
        self.shard = shard
        func level(_ label: String, _ dimensions: [(String, String)] = []) -> Gauge {
            Gauge(label: label, dimensions: PushInstruments.dimensions(dimensions, shard))
        }
        queued = level("kasia_push_queue_depth", [("state", "queued")])
        inFlight = level("kasia_push_queue_depth", [("state", "in_flight")])
        paused = PerCarrier { level("kasia_push_paused", [("carrier", $0.label)]) }
        oldestSeconds = level("kasia_push_queue_oldest_seconds")
        deadLetters = level("kasia_push_dead_letters")
    }

    private static func dimensions(_ dimensions: [(String, String)], _ shard: Int?) -> [(String, String)] {
        dimensions + (shard.map { [("shard", "\($0)")] } ?? [])
    }

    private func level(_ label: String, _ dimensions: [(String, String)]) -> Gauge {
        Gauge(label: label, dimensions: PushInstruments.dimensions(dimensions, shard))
    }

    /// `carrier` is nil where the device's is not known.
    func suppressed(_ reason: SuppressionReason, count: Int, carrier: CarrierName? = nil) {
        pushes.delivery(.suppressed, reason: reason.rawValue, carrier: carrier, count: count)
    }

    func deviceRemoved(_ reason: RemovalReason) {
        Counter(label: "kasia_devices_removed_total", dimensions: [("reason", reason.rawValue)]).increment()
    }

    /// What became of a VoIP push.
    func ring(_ outcome: RingOutcome) {
        Counter(label: "kasia_push_rings_total", dimensions: [("outcome", outcome.rawValue)]).increment()
    }

    func sent(seconds: Double, by carrier: CarrierName) {
        sendSeconds[carrier].recordNanoseconds(Int64(seconds * 1e9))
    }

    func reachedWire(millisecondsAfterQueueing milliseconds: UInt64) {
        chainToWireSeconds.recordMilliseconds(Int64(min(milliseconds, UInt64(Int64.max / 1_000_000))))
    }

    func depth(queued: UInt64, inFlight: Int, oldestAgeMilliseconds: UInt64) {
        self.queued.record(Double(queued) - Double(min(queued, UInt64(inFlight))))
        self.inFlight.record(Double(inFlight))
        oldestSeconds.record(Double(oldestAgeMilliseconds) / 1000)
    }

    func paused(_ carrier: CarrierName, _ isPaused: Bool) { paused[carrier].record(isPaused ? 1 : 0) }

    /// What the store's books say; each sum must be its `created`.
    func books(_ books: Outbox.Books) {
        for (label, dimensions, count) in PushInstruments.pages(of: books) {
            level(label, dimensions).record(Double(count))
        }
        deadLetters.record(Double(books.deadLetters))
    }

    private static func pages(
        of books: Outbox.Books
    ) -> [(label: String, dimensions: [(String, String)], count: UInt64)] {
        let events = [
            ("created", books.eventsCreated), ("queued", books.eventsQueued), ("fanned_out", books.eventsFannedOut),
            ("withdrawn", books.eventsWithdrawn), ("unresolved", books.eventsUnresolved),
            ("suppressed", books.eventsSuppressed), ("expired", books.eventsExpired),
        ]
        let deliveries = [
            ("created", books.deliveriesCreated), ("queued", books.deliveriesQueued),
            ("delivered", books.deliveriesDelivered), ("dead", books.deliveriesDead),
            ("expired", books.deliveriesExpired), ("suppressed", books.deliveriesSuppressed),
        ]
        let states = [("events", events), ("deliveries", deliveries)].flatMap { book, states in
            states.map { state, count in
                (label: "kasia_push_books", dimensions: [("book", book), ("state", state)], count: count)
            }
        }
        let reasons = [("dead", books.deadByReason), ("suppressed", books.suppressedByReason)].flatMap {
            state, reasons in
            reasons.map { reason, count in
                (label: "kasia_push_books_by_reason", dimensions: [("state", state), ("reason", reason)], count: count)
            }
        }
        return states + reasons
    }

    /// Takes the levels of another shard than 0 away, as this process does not send for it any more.
    func retire(_ books: Outbox.Books) {
        guard shard != nil else { return }
        for gauge in [queued, inFlight, oldestSeconds, deadLetters] + CarrierName.allCases.map({ paused[$0] }) {
            gauge.destroy()
        }
        for (label, dimensions, _) in PushInstruments.pages(of: books) { level(label, dimensions).destroy() }
    }

    func registry(devices: UInt64, watchEntries: UInt64) {
        guard shard == nil else { return }
        Gauge(label: "kasia_devices").record(Double(devices))
        Gauge(label: "kasia_watch_entries").record(Double(watchEntries))
    }
}
