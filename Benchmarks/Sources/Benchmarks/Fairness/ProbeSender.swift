import APNs
import Push
import Synchronization

/// Hands notifications on to the client, counts the answers, and tells who waits for a device's.
final class ProbeSender: ObservingSender {
    private struct State {
        var waiting: [String: AsyncStream<String>.Continuation] = [:]
        var answers: [String: Int] = [:]
    }

    let client: APNsClient
    private let state = Mutex(State())

    init(client: APNsClient) { self.client = client }

    func observe(_ request: APNsRequest, _ outcome: APNsOutcome, since start: ContinuousClock.Instant) {
        let waiting = state.withLock { state in
            state.answers[outcome.label, default: 0] += 1
            return state.waiting.removeValue(forKey: request.deviceToken)
        }
        waiting?.yield(outcome.label)
        waiting?.finish()
    }

    /// The label of the next answer to the device.
    func nextAnswer(to token: String) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        state.withLock { $0.waiting[token] = continuation }
        return stream
    }

    /// How often each answer has come.
    var answers: [String: Int] { state.withLock { $0.answers } }
}
