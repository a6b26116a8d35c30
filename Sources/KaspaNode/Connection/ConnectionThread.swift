import Dispatch

/// Runs what reads a connection, one task after another on a queue of its own.
///
/// A catch-up answer of hundreds of megabytes takes tenths of a second to read; on the cooperative pool it would hold
/// up whatever else there is to do, on a small machine half of it.
final class ConnectionThread: TaskExecutor {
    private let queue = DispatchQueue(label: "kasia.node.connection")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
