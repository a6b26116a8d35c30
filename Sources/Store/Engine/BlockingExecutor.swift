import Dispatch

/// Runs an actor's jobs one after another on a queue of its own, so that a blocking call holds no cooperative thread.
package final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// `label` names the queue in debuggers and profiles.
    package init(label: String) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
    }

    /// Puts a job of the actor at the end of the queue; returns at once.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Runs `body` on the queue after some time, in turn with the jobs; the actor may be taken for isolated there.
    ///
    /// No cooperative thread is needed for it, as a task would need one, however busy they are.
    package func run(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + delay / .seconds(1), execute: body)
    }

    /// Ends the process if this is another thread than the queue's.
    package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
