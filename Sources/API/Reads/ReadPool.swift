import Dispatch
import Foundation
import Metrics
import Synchronization

/// The threads on which history is read, so that a slow read holds up neither the chain nor registrations.
///
/// Reads block: none of them runs on the cooperative pool or an event loop. What waits for a thread is bounded and
/// served client by client. The threads end with the pool.
final class ReadPool: Sendable {
    static let threads = 2
    /// Reads that wait for a thread at once, replays of streams apart: with reads of 10 ms, a third of a second.
    static let waiting = 64
    /// Seconds after which a client that found the queue full should try again.
    static let retryAfter = 1

    private struct Job: Sendable {
        let run: @Sendable () -> Void
        let refuse: @Sendable () -> Void
    }

    private struct State {
        var queue = FairQueue<Job>()
        var isEnding = false
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
        let signal = DispatchSemaphore(value: 0)
        private let waiting = Gauge(label: "kasia_reads_waiting")

        /// Changes the queue, and shows how many wait then.
        func change<Result>(_ body: (inout State) -> Result) -> Result {
            state.withLock { state in
                defer { waiting.record(state.queue.count) }
                return body(&state)
            }
        }

        /// Runs what waits until the pool ends.
        func work() {
            while true {
                signal.wait()
                let (job, isEnding) = change { state in (state.queue.next(), state.isEnding) }
                job?.run()
                if job == nil, isEnding { return }
            }
        }
    }

    private let shared = Shared()
    private let maximum: Int
    private let threads: Int

    init(threads: Int = threads, waiting maximum: Int = waiting) {
        self.maximum = maximum
        self.threads = threads
        for _ in 0..<threads { ReadThread { [shared] in shared.work() }.start() }
    }

    deinit {
        shared.state.withLock { $0.isEnding = true }
        for _ in 0..<threads { shared.signal.signal() }
    }

    /// Reads that wait for a thread, replays apart.
    var waitingCount: Int { shared.state.withLock { $0.queue.count } }

    /// Runs `work` on one of the threads, in the client's turn.
    ///
    /// A patient one waits however many there are, and is not counted. Errors: `ReadPoolFull`, and those of `work`.
    func run<Result: Sendable>(
        for client: [UInt8], isPatient: Bool = false, _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let job = Job(
                run: { continuation.resume(with: Swift.Result { try work() }) },
                refuse: { continuation.resume(throwing: ReadPoolFull()) })
            let refused: Job? = shared.change { state in
                var displaced: Job?
                if !isPatient, state.queue.count >= maximum {
                    displaced = state.queue.displace(for: client)
                    guard displaced != nil else { return job }
                }
                state.queue.add(job, for: client, isPatient: isPatient)
                return displaced
            }
            shared.signal.signal()
            refused?.refuse()
        }
    }
}

/// As many reads wait as may.
struct ReadPoolFull: Error {}

/// A thread of a pool.
final class ReadThread: Thread {
    /// What it yields to the rest of the process when processors are short (`nice`).
    private static let niceness: CInt = 5

    private let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) {
        self.work = work
        super.init()
    }

    override func main() {
        #if os(Linux)
        // On Linux it is the thread's own; elsewhere it would be the process's.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, ReadThread.niceness)
        #endif
        work()
    }
}
