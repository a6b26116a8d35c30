import Carriers
import Store
import Synchronization

/// Counts the outcomes of pushes, and tells who waits for a device's.
final class AnswerBoard: Sendable {
    private struct State {
        var waiting: [DeviceID: AsyncStream<String>.Continuation] = [:]
        var answers: [String: Int] = [:]
    }

    private let state = Mutex(State())

    /// A carrier whose outcomes come here.
    func observing(_ carrier: any Carrier) -> ObservedCarrier {
        ObservedCarrier(carrier: carrier) { [self] push, outcome in
            let waiting = state.withLock { state in
                state.answers[outcome.label, default: 0] += 1
                return state.waiting.removeValue(forKey: push.delivery.device)
            }
            waiting?.yield(outcome.label)
            waiting?.finish()
        }
    }

    /// The label of the next outcome for the device.
    func nextAnswer(to device: DeviceID) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        state.withLock { $0.waiting[device] = continuation }
        return stream
    }

    /// How often each outcome has come.
    var answers: [String: Int] { state.withLock { $0.answers } }
}
