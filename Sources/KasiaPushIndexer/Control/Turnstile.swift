import Synchronization

/// Lets one in at a time, and nobody wait.
final class Turnstile: Sendable {
    private let isTaken = Atomic(false)

    /// Whether the caller is in; then it has to leave.
    func enter() -> Bool { !isTaken.exchange(true, ordering: .acquiring) }

    func leave() { isTaken.store(false, ordering: .releasing) }
}
