import Synchronization

/// Turns the output of Apple's stand-in into the demo's lines, one for each push, and counts.
final class DemoNarrator: Sendable {
    private struct Item: Sendable {
        let text: String
        /// Since the demo's start.
        let arrival: Duration
    }

    private struct State {
        var tally = DemoTally()
        var waiting = 0
        /// The lines of a card whose push is not shown yet.
        var card: [String] = []
    }

    private let phones: [DemoDevice]
    private let pace: ReadingPace
    private let start: ContinuousClock.Instant
    private let say: @Sendable (String) -> Void
    private let state = Mutex(State())
    private let items: AsyncStream<Item>
    private let queue: AsyncStream<Item>.Continuation

    /// Makes a narrator that shows the pushes at `pace`.
    init(
        phones: [DemoDevice], pace: ReadingPace, start: ContinuousClock.Instant,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.phones = phones
        self.pace = pace
        self.start = start
        self.say = say
        (items, queue) = AsyncStream.makeStream()
    }

    /// The pushes that have arrived, shown or not.
    var tally: DemoTally { state.withLock { $0.tally } }

    /// The pushes that have arrived and are not shown yet.
    var waiting: Int { state.withLock { $0.waiting } }

    /// Takes a line of the stand-in: a push, or a line of the card before it.
    func take(_ line: String) {
        let arrival = ContinuousClock.now - start
        guard let push = DemoPush(line: line) else {
            state.withLock { $0.card.append(line) }
            return
        }
        let card = state.withLock { state in
            state.tally.add(push)
            state.waiting += 1
            defer { state.card = [] }
            return state.card
        }
        let owner = phones.first { $0.token == push.token }?.owner
        let phone = owner.map { "\($0)'s phone" } ?? "Phone …\(push.token.suffix(8))"
        let text = ["\(Self.seconds(arrival))  \(phone): \(push.text)"] + card
        queue.yield(Item(text: text.joined(separator: "\n"), arrival: arrival))
    }

    /// Shows the pushes as they come, until cancelled.
    func run() async throws {
        var pace = pace
        for await item in items {
            let now = ContinuousClock.now - start
            let turn = pace.turn(arrival: item.arrival, now: now)
            if turn.saysThatLinesWait {
                say(
                    "           (\(Counted(waiting, "push has arrived and waits", "pushes have arrived and wait")) to be shown)"
                )
            }
            try await Task.sleep(for: turn.time - now)
            say(item.text)
            state.withLock { $0.waiting -= 1 }
        }
    }

    /// Seconds with one decimal, aligned in a column: `   12.4 s`.
    private static func seconds(_ duration: Duration) -> String {
        let tenths = duration.components.seconds * 10 + duration.components.attoseconds / 100_000_000_000_000_000
        let text = "\(tenths / 10).\(tenths % 10) s"
        return String(repeating: " ", count: max(0, 9 - text.count)) + text
    }
}

/// Spaces lines so that they can be read, and decides when to say that lines wait.
struct ReadingPace: Sendable {
    /// The least time between two lines.
    ///
    /// Zero shows each at once.
    let interval: Duration
    /// The delay of a line beyond which the demo says that lines wait.
    let patience: Duration
    private var lastShown: Duration?
    private var hasSaid = false

    init(interval: Duration, patience: Duration = .seconds(5)) {
        self.interval = interval
        self.patience = patience
    }

    /// When to show the next line, and whether to say before it that lines wait.
    ///
    /// That is said once per delay. All times count from the same start.
    mutating func turn(arrival: Duration, now: Duration) -> (time: Duration, saysThatLinesWait: Bool) {
        let time = max(now, lastShown.map { $0 + interval } ?? now)
        let isLate = time - arrival > patience
        defer {
            lastShown = time
            hasSaid = isLate
        }
        return (time, isLate && !hasSaid)
    }
}
