import Clocks
import Kaspa
import Push
import Store
import Synchronization

/// Messages through store and dispatcher, each timed from its acceptance to the carrier's answer.
final class MessageProbe: Sendable {
    let store: Store
    let board: AnswerBoard
    private let dispatcher: Dispatcher
    private let serial = Atomic<UInt64>(1)

    init(store: Store, board: AnswerBoard, dispatcher: Dispatcher) {
        self.store = store
        self.board = board
        self.dispatcher = dispatcher
    }

    /// The chain accepts a message from each of `senders`.
    func accept(_ senders: [Address]) async throws {
        let number = serial.add(1, ordering: .relaxed).oldValue
        try await FairnessDevices.accept(from: senders, serial: number, in: store, now: MachineClock.system.wall())
        dispatcher.wake()
    }

    /// Accepts a message, and returns the seconds until its watcher's push was answered.
    ///
    /// - Throws: ``BenchmarkError`` if it was not delivered.
    func time(_ sender: Address, to device: DeviceID) async throws -> Double {
        let answers = board.nextAnswer(to: device)
        return try await Measure.seconds {
            try await accept([sender])
            for await answer in answers where answer != "delivered" {
                throw BenchmarkError("A probe was not delivered: \(answer)")
            }
        }
    }

    /// Accepts `batch` messages every `pause`, from the senders that `next` names, until the task is cancelled.
    func flow(_ batch: Int, every pause: Duration, next: @Sendable (Int) -> [Address]) async throws {
        while !Task.isCancelled {
            try await accept(next(batch))
            try? await Task.sleep(for: pause)
        }
    }

    /// Returns when nothing waits.
    func drained() async throws {
        while true {
            let totals = try await store.totals()
            if totals.events == 0, totals.deliveries == 0 { return }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// What each turn of a fairness benchmark found, milliseconds.
struct Latencies {
    private(set) var p50 = Samples()
    private(set) var p99 = Samples()

    mutating func add(_ seconds: [Double]) {
        let samples = Samples(seconds)
        p50.add(samples.median * 1e3)
        p99.add(samples.quantile(0.99) * 1e3)
    }
}
