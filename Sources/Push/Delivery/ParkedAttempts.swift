import Kaspa
import Store

/// Attempts whose settlement cannot be written because of a corrupt row.
///
/// They are set apart, so that they delay no others. Their deliveries stay in the outbox. This process does not send
/// them again.
struct ParkedAttempts {
    /// The most parked attempts.
    ///
    /// Further ones take up room among those in flight: with so many corrupt rows, sending should slow down.
    static let most = 1_000
    /// The time between two tries, milliseconds.
    static let retryInterval: UInt64 = 60_000

    private(set) var attempts: [ScheduleKey: FinishedAttempt] = [:]
    /// The last error; nil while nothing is parked.
    private(set) var failure: StoreError?
    private var lastRetry: UInt64 = 0

    var isFull: Bool { attempts.count >= ParkedAttempts.most }

    func contains(_ key: ScheduleKey) -> Bool { !attempts.isEmpty && attempts[key] != nil }

    /// Parks an attempt.
    ///
    /// Returns whether there was room, or it was parked before.
    mutating func park(_ attempt: FinishedAttempt, after error: StoreError) -> Bool {
        failure = error
        let key = attempt.settlement.key
        guard !isFull || attempts[key] != nil else { return false }
        attempts[key] = attempt
        return true
    }

    /// Removes an attempt whose settlement is written.
    mutating func remove(_ key: ScheduleKey) {
        attempts[key] = nil
        if attempts.isEmpty { failure = nil }
    }

    /// Whether a try is due.
    ///
    /// If so, the next one is due after `retryInterval`.
    mutating func beginRetry(now: UInt64) -> Bool {
        guard !attempts.isEmpty else {
            lastRetry = now
            return false
        }
        guard now >= lastRetry.later(by: ParkedAttempts.retryInterval) || now < lastRetry else { return false }
        lastRetry = now
        return true
    }
}
