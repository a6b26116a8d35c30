import Carriers
import Store
import Synchronization

/// A carrier as a script: it answers at once, or holds a push until the test answers all that it holds.
final class ScriptedCarrier: Carrier {
    /// What to answer to a push at the n-th attempt of its device, from 1; nil holds it.
    typealias Script = @Sendable (_ push: OutgoingPush, _ attempt: Int) -> SendOutcome?

    private struct State {
        var script: Script
        var pushes: [OutgoingPush] = []
        var attempts: [DeviceID: Int] = [:]
        var held: [@Sendable (SendOutcome) -> Void] = []
        var inFlight = 0
        var most = 0
        /// How many pushes each call of `together` has sent.
        var together: [Int] = []
    }

    let name: CarrierName
    let capacity: Int
    private let state: Mutex<State>

    init(_ name: CarrierName, capacity: Int = 100, _ script: @escaping Script = { _, _ in .delivered }) {
        self.name = name
        self.capacity = capacity
        state = Mutex(State(script: script))
    }

    /// All pushes, in the order in which they came.
    var pushes: [OutgoingPush] { state.withLock { $0.pushes } }
    /// The most that were in flight at once.
    var most: Int { state.withLock { $0.most } }
    var heldCount: Int { state.withLock { $0.held.count } }
    /// How many pushes were sent together each time, in order.
    var together: [Int] { state.withLock { $0.together } }

    func use(_ script: @escaping Script) { state.withLock { $0.script = script } }

    /// Answers all that are held.
    func answerAll(_ outcome: SendOutcome) {
        let held = state.withLock { state in
            defer { (state.held, state.inFlight) = ([], state.inFlight - state.held.count) }
            return state.held
        }
        for ended in held { ended(outcome) }
    }

    func run() async throws {}

    func together(_ body: () -> Void) {
        let before = pushes.count
        body()
        state.withLock { $0.together.append($0.pushes.count - before) }
    }

    func send(_ push: OutgoingPush, ended: @escaping @Sendable (SendOutcome) -> Void) {
        let outcome = state.withLock { state -> SendOutcome? in
            state.pushes.append(push)
            state.attempts[push.delivery.device, default: 0] += 1
            let outcome = state.script(push, state.attempts[push.delivery.device] ?? 1)
            if outcome == nil {
                state.held.append(ended)
                state.inFlight += 1
                state.most = max(state.most, state.inFlight)
            }
            return outcome
        }
        if let outcome { Task { ended(outcome) } }
    }
}
