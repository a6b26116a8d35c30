import Synchronization

/// How long this process may act as the one that writes, by its own clock.
///
/// Another takes over when its heartbeat has stood still for as long (`StandbyWatch`). What cannot be taken back
/// is begun in the first half only, as clocks may run apart.
final class Lease: Sendable {
    private let length: Duration
    private let renewedAt: Mutex<ContinuousClock.Instant>

    /// It was just taken, by a call that began at `begun`.
    init(_ length: Duration, begun: ContinuousClock.Instant) {
        self.length = length
        renewedAt = Mutex(begun)
    }

    /// The server has answered a heartbeat, or a transaction that is as safe, that began at `begun`.
    func renewed(_ begun: ContinuousClock.Instant) { renewedAt.withLock { $0 = max($0, begun) } }

    /// Whether what cannot be taken back may begin.
    var isHeld: Bool { isYounger(than: length / 2) }

    /// Whether the last answered heartbeat is younger than this.
    func isYounger(than age: Duration) -> Bool { renewedAt.withLock { ContinuousClock.now - $0 < age } }
}
