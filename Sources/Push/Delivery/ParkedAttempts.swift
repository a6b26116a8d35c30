import Kaspa
import Store

/// Attempts whose settlement a damaged row keeps from being written: set apart, so that they hold up no others.
///
/// Their deliveries stay in the outbox and are not sent again as long as this process runs.
struct ParkedAttempts {
    /// So many devices' rows are not damaged by accident: what comes on top takes up room among the attempts in flight.
    static let most = 1_000
    /// How long the store is left alone with them, milliseconds.
    static let retryInterval: UInt64 = 60_000

    private(set) var attempts: [ScheduleKey: FinishedAttempt] = [:]
    /// What the last of them failed with; nil while there is none.
    private(set) var failure: StoreError?
    private var lastRetry: UInt64 = 0

    var isFull: Bool { attempts.count >= ParkedAttempts.most }

    func contains(_ key: ScheduleKey) -> Bool { !attempts.isEmpty && attempts[key] != nil }

    /// Whether there was room for it, or it was parked before.
    mutating func park(_ attempt: FinishedAttempt, after error: StoreError) -> Bool {
        failure = error
        let key = attempt.settlement.key
        guard !isFull || attempts[key] != nil else { return false }
        attempts[key] = attempt
        return true
    }

    /// Its settlement is written.
    mutating func remove(_ key: ScheduleKey) {
        attempts[key] = nil
        if attempts.isEmpty { failure = nil }
    }

    /// Whether it is time to try them again; if so, the next time is an interval away.
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
