import Store
import Synchronization

/// A change that waits for its turn, and whoever waits for what comes of it.
struct WriteJob: Sendable {
    let change: StoreChange
    /// Whether it must outlive a crash of the server before `finish` hears of it.
    let isDurable: Bool
    /// Whether nobody waits for it any more.
    let isAbandoned: @Sendable () -> Bool
    /// Runs the change on a transaction and keeps what it returns or throws for `finish`.
    ///
    /// False: it threw, and what it wrote is to be dropped. The last run counts.
    let run: @Sendable (WriteTransaction) -> Bool
    /// Tells what the last run returned, or `failure` instead.
    let finish: @Sendable (_ failure: StoreError?) -> Void

    /// A change of nothing, for the sake of its turn.
    init(isAbandoned: @escaping @Sendable () -> Bool) {
        change = .upkeep
        isDurable = false
        self.isAbandoned = isAbandoned
        run = { _ in true }
        finish = { _ in }
    }

    /// What the last run came to.
    private final class Outcome<Result: Sendable>: Sendable {
        let value = Mutex<Swift.Result<Result, StoreError>?>(nil)
    }

    init<Result: Sendable>(
        _ change: StoreChange, isDurable: Bool, _ limits: StoreLimits, isAbandoned: @escaping @Sendable () -> Bool,
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Result,
        _ continuation: CheckedContinuation<Swift.Result<Result, StoreError>, Never>
    ) {
        let outcome = Outcome<Result>()
        self.change = change
        self.isDurable = isDurable
        self.isAbandoned = isAbandoned
        run = { transaction in
            let result = Swift.Result { () throws(StoreError) -> Result in
                let result = try body(transaction)
                _ = try transaction.writeChanges(limits)
                return result
            }
            outcome.value.withLock { $0 = result }
            if case .failure = result { return false }
            return true
        }
        finish = { failure in
            let result = outcome.value.withLock { $0 }
            if let failure {
                continuation.resume(returning: .failure(failure))
            } else if let result {
                continuation.resume(returning: result)
            } else {
                continuation.resume(returning: .failure(StoreError(.engine, "a change was never run")))
            }
        }
    }
}

/// Changes that wait, in the order in which they came.
final class WriteQueue: Sendable {
    private struct State {
        var jobs: [WriteJob] = []
        var isServed = false
    }

    private let state = Mutex(State())

    /// How many wait for their turn.
    var count: Int { state.withLock { $0.jobs.count } }

    /// Adds a change; true when nobody serves the queue, and the caller has to see to it.
    func add(_ job: WriteJob) -> Bool {
        state.withLock { state in
            state.jobs.append(job)
            defer { state.isServed = true }
            return !state.isServed
        }
    }

    /// The oldest changes, at most `limit`; empty: there is none, and whoever adds the next has to see to it.
    func next(atMost limit: Int) -> [WriteJob] {
        state.withLock { state in
            let jobs = Array(state.jobs.prefix(limit))
            state.jobs.removeFirst(jobs.count)
            if jobs.isEmpty { state.isServed = false }
            return jobs
        }
    }

    /// Takes those out that do not wait any longer.
    func takeImpatient(_ waitsLong: Bool) -> [WriteJob] {
        state.withLock { state in
            let (impatient, patient) = state.jobs.parted(waitsLong)
            state.jobs = patient
            return impatient
        }
    }
}

extension WriteJob {
    /// Whether it waits no longer for a server to come back: nobody wants it any more, or it is a registration, whose
    /// sender can come again.
    fileprivate func isImpatient(_ waitsLong: Bool) -> Bool {
        isAbandoned() || waitsLong && change == .registration
    }
}

extension [WriteJob] {
    /// Those that wait no longer, and the others: each is asked once, as its answer may change meanwhile.
    func parted(_ waitsLong: Bool) -> (impatient: [WriteJob], patient: [WriteJob]) {
        var (impatient, patient): ([WriteJob], [WriteJob]) = ([], [])
        for job in self {
            if job.isImpatient(waitsLong) { impatient.append(job) } else { patient.append(job) }
        }
        return (impatient, patient)
    }
}
