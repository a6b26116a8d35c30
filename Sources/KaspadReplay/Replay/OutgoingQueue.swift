import KaspaNode
import Synchronization

/// The messages that wait to be sent to one subscriber: bounded, filled without waiting, read by one reader in batches.
final class OutgoingQueue: Sendable {
    typealias Message = Protowire_KaspadResponse

    private struct State {
        var waiting: [Message] = []
        var reader: CheckedContinuation<Void, Never>?
        var writers: [CheckedContinuation<Void, Never>] = []
        /// Set once; nothing is taken in afterwards.
        var end: End?
    }

    private enum End {
        /// What waits is still given out.
        case finished
        /// What waits is dropped, and the reader gets this error.
        case aborted(any Error)
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// Makes an empty queue for `capacity` messages, at least two.
    init(capacity: Int) {
        self.capacity = max(2, capacity)
    }

    /// Adds a message.
    ///
    /// Returns false when the queue is full or has ended.
    func offer(_ message: Message) -> Bool {
        let (taken, reader) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard state.end == nil, state.waiting.count < capacity else { return (false, nil) }
            state.waiting.append(message)
            return (true, state.reader.take())
        }
        reader?.resume()
        return taken
    }

    /// Returns when the queue is at most half full, or has ended.
    func room() async {
        while !hasRoom {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.end != nil || state.waiting.count <= capacity / 2 { return true }
                    state.writers.append(continuation)
                    return false
                }
                if isDone { continuation.resume() }
            }
        }
    }

    /// All waiting messages, as soon as there is one; nil after `finish()`.
    ///
    /// Throws what `abort` was called with. For one reader; its cancellation aborts.
    func next() async throws -> [Message]? {
        try await withTaskCancellationHandler {
            while true {
                if let batch = try takeBatch() { return batch.isEmpty ? nil : batch }
                await withCheckedContinuation { continuation in
                    let isDone = state.withLock { state in
                        if state.end != nil || !state.waiting.isEmpty { return true }
                        state.reader = continuation
                        return false
                    }
                    if isDone { continuation.resume() }
                }
            }
        } onCancel: {
            abort(CancellationError())
        }
    }

    /// Ends the queue.
    ///
    /// The reader still gets the waiting messages.
    func finish() {
        end(.finished)
    }

    /// Ends the queue, drops the waiting messages and throws `error` to the reader.
    ///
    /// It does nothing after another end.
    func abort(_ error: any Error) {
        end(.aborted(error))
    }

    private var hasRoom: Bool {
        state.withLock { $0.end != nil || $0.waiting.count <= capacity / 2 }
    }

    /// The waiting messages; empty when the queue has ended, nil when there are none yet.
    private func takeBatch() throws -> [Message]? {
        let (batch, writers) = try state.withLock { state -> ([Message]?, [CheckedContinuation<Void, Never>]) in
            if case .aborted(let error) = state.end { throw error }
            if state.waiting.isEmpty { return (state.end == nil ? nil : [], []) }
            defer {
                state.waiting = []
                state.writers = []
            }
            return (state.waiting, state.writers)
        }
        for writer in writers { writer.resume() }
        return batch
    }

    private func end(_ end: End) {
        let continuations = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.end == nil else { return [] }
            state.end = end
            if case .aborted = end { state.waiting = [] }
            defer { state.writers = [] }
            return state.writers + (state.reader.take().map { [$0] } ?? [])
        }
        for continuation in continuations { continuation.resume() }
    }
}
