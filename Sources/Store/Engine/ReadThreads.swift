import DequeModule
import Foundation
import Synchronization

/// Threads on which the store is read: a read may wait for the disk, and blocks no thread of the cooperative pool.
///
/// Reads wait in one queue, the oldest first. Each caller waits for its own, so there are as many in the queue as the
/// service has tasks that read: its connections, the chain and the dispatcher, each with a limit of its own. A read runs
/// in its caller's task, with what is local to that. The threads end with the last reference to this.
package final class ReadThreads: TaskExecutor {
    /// What the threads share, so that they keep no reference to their owner.
    private final class Queue: Sendable {
        let waiting = Mutex(Deque<UnownedJob>())
        let signal = DispatchSemaphore(value: 0)

        /// The next that waits; nil at the end.
        func next() -> UnownedJob? {
            signal.wait()
            return waiting.withLock { $0.popFirst() }
        }
    }

    private static let mark = "kasia.store.read"

    /// Whether the caller runs on a thread of some store's.
    package static var isCurrent: Bool { Thread.current.threadDictionary[mark] != nil }

    private let queue = Queue()
    private let count: Int

    /// Starts `count` threads; with a `niceness` above 0 they yield to the process's other threads.
    init(count: Int, niceness: CInt = 0) {
        self.count = count
        let executor = asUnownedTaskExecutor()
        for _ in 0..<count {
            let thread = Thread { [queue] in
                // Not its name: Foundation loses one that is given while the thread starts.
                Thread.current.threadDictionary[ReadThreads.mark] = true
                ReadThreads.yieldToOthers(niceness)
                // Whoever waits for a job keeps the executor; at its end nothing waits.
                while let job = queue.next() { job.runSynchronously(on: executor) }
            }
            thread.start()
        }
    }

    deinit {
        for _ in 0..<count { queue.signal.signal() }
    }

    /// Puts a job at the end of the queue; returns at once.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.waiting.withLock { $0.append(job) }
        queue.signal.signal()
    }

    /// Runs `read` on one of the threads.
    func run<Result: Sendable>(
        _ read: @Sendable () throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await withTaskExecutorPreference(self) { await ReadThreads.perform(read) }.get()
    }

    /// Leaves the caller's executor for the one that its task prefers.
    @concurrent
    private static func perform<Result: Sendable>(
        _ read: @Sendable () throws(StoreError) -> Result
    ) async -> Swift.Result<Result, StoreError> {
        Swift.Result(catching: read)
    }

    private static func yieldToOthers(_ niceness: CInt) {
        #if os(Linux)
        // On Linux it is the thread's own; elsewhere it would be the process's.
        if niceness > 0 { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
        #endif
    }
}
