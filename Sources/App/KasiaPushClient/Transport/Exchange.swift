import Dispatch
import Foundation

/// A request in flight: what the session reports on one side, one reader on the other.
///
/// Unchecked: what changes is only touched under the lock, and nothing else is called while it is held.
final class Exchange: @unchecked Sendable {
    struct Head: Sendable {
        let status: Int
        let headers: TransportHeaders
    }

    private struct State {
        var head: Head?
        /// What came and was not read yet.
        var buffer = Data()
        var end: Result<Void, TransportError>?
        var deadline: ContinuousClock.Instant
        /// Ends the request; nil until it has begun.
        var cancel: (@Sendable () -> Void)?
        var reader: CheckedContinuation<Void, Never>?
    }

    private let lock = NSLock()
    private let limit: Int
    /// How long a stream may be silent; nil for an answer that is read as a whole.
    private let silence: Duration?
    private var state: State

    /// The limit is in bytes: of an answer's body, or of what waits to be read of a stream.
    init(limit: Int, timeout: Duration, silence: Duration?) {
        self.limit = limit
        self.silence = silence
        state = State(deadline: .now + timeout)
    }

    /// The request begins; false if it was given up before.
    func begin(cancel: @escaping @Sendable () -> Void) -> Bool {
        change { state in
            state.cancel = cancel
            return state.end == nil
        }
    }

    /// The answer's head came; `length` is what it says of the body, in bytes, or -1.
    func receive(_ head: Head, length: Int64) {
        if silence == nil, length > Int64(limit) { return giveUp(.tooLong(limit)) }
        change { state in
            state.head = head
            if let silence { state.deadline = .now + silence }
        }
        if let silence { watch(for: silence) }
    }

    /// A part of the body came.
    func receive(_ data: Data) {
        let fits = change { state in
            guard state.end == nil else { return true }
            guard data.count <= limit - state.buffer.count else { return false }
            state.buffer.append(data)
            if let silence { state.deadline = .now + silence }
            return true
        }
        if !fits { giveUp(.tooLong(limit)) }
    }

    /// The request has ended; only the first end counts.
    func end(with end: Result<Void, TransportError>) {
        change { $0.end = $0.end ?? end }
    }

    /// Ends the exchange and cancels the request, unless it has ended.
    func giveUp(_ error: TransportError) {
        let cancel = change { state in
            guard state.end == nil else { return nil as (@Sendable () -> Void)? }
            state.end = .failure(error)
            return state.cancel
        }
        cancel?()
    }

    /// Gives the exchange up after `time`, unless its deadline has moved on by then.
    func watch(for time: Duration) {
        DispatchQueue.global().asyncAfter(deadline: .now() + time.seconds) { [weak self] in
            guard let self else { return }
            let left = lock.withLock { state.end == nil ? ContinuousClock.now.duration(to: state.deadline) : nil }
            guard let left else { return }
            if left > .zero { watch(for: left) } else { giveUp(.timedOut) }
        }
    }

    /// The head, once it is there.
    func head() async throws(TransportError) -> Head {
        await wait { $0.head != nil }
        return try lock.withLock { () -> Result<Head, TransportError> in
            if let head = state.head { return .success(head) }
            guard case .failure(let error)? = state.end else {
                return .failure(.unreachable("The service ended the connection without an answer."))
            }
            return .failure(error)
        }.get()
    }

    /// What has come since the last piece; nil at the end.
    ///
    /// What came before a failure is handed out first.
    func piece() async throws(TransportError) -> Data? {
        await wait { !$0.buffer.isEmpty }
        return try lock.withLock { () -> Result<Data?, TransportError> in
            guard state.buffer.isEmpty else {
                defer { state.buffer = Data() }
                return .success(state.buffer)
            }
            return (state.end ?? .success(())).map { nil }
        }.get()
    }

    /// The whole answer.
    func answer() async throws(TransportError) -> (head: Head, body: Data) {
        let head = try await head()
        await wait { _ in false }
        let end = lock.withLock { (state.end ?? .success(())).map { state.buffer } }
        return (head, try end.get())
    }

    private func wait(until isThere: @Sendable (State) -> Bool) async {
        await withTaskCancellationHandler {
            while !lock.withLock({ isThere(state) || state.end != nil }) {
                await withCheckedContinuation { reader in
                    let isOver = lock.withLock {
                        guard !isThere(state), state.end == nil else { return true }
                        precondition(state.reader == nil, "an exchange has one reader at a time")
                        state.reader = reader
                        return false
                    }
                    if isOver { reader.resume() }
                }
            }
        } onCancel: {
            giveUp(.cancelled)
        }
    }

    /// Changes the state and wakes the reader.
    private func change<Answer>(_ change: (inout State) -> Answer) -> Answer {
        let (answer, reader) = lock.withLock {
            let answer = change(&state)
            defer { state.reader = nil }
            return (answer, state.reader)
        }
        reader?.resume()
        return answer
    }
}
