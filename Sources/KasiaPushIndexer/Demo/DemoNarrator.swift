import Synchronization

/// Turns the stand-in's output into the demo's lines, one for each push that is shown, and counts.
///
/// The first push to an owner of several devices is shown on each of them, with its card. After that only the pushes to
/// iPhones are shown.
final class DemoNarrator: Sendable {
    private struct Item: Sendable {
        let text: String
        /// Since the demo's start.
        let arrival: Duration
        /// Whether it is the first push, on one of its devices.
        let isFirst: Bool
    }

    private struct State {
        var tally = DemoTally()
        var waiting = 0
        var queue: [Item] = []
        /// The lines of a card whose push has not come yet.
        var card: [String] = []
        /// The transaction of the first push.
        var first: String?
    }

    private let devices: [String: DemoDevice]
    /// The tokens of the devices that are their owner's only one.
    private let onlyDevices: Set<String>
    private let showsCards: Bool
    private let pace: ReadingPace
    private let start: ContinuousClock.Instant
    private let say: @Sendable (String) -> Void
    private let state = Mutex(State())
    /// One for each item in the queue.
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    /// Makes a narrator that shows the pushes at `pace`; with `showsCards` each has its card.
    init(
        devices: [DemoDevice], showsCards: Bool = false, pace: ReadingPace, start: ContinuousClock.Instant,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.devices = Dictionary(devices.map { ($0.token, $0) }, uniquingKeysWith: { first, _ in first })
        let owners = Dictionary(grouping: devices, by: \.owner)
        onlyDevices = Set(owners.values.filter { $0.count == 1 }.joined().map(\.token))
        self.showsCards = showsCards
        self.pace = pace
        self.start = start
        self.say = say
        (signals, signal) = AsyncStream.makeStream()
    }

    /// The pushes that have arrived, shown or not.
    var tally: DemoTally { state.withLock { $0.tally } }

    /// The pushes that have arrived and are still to be shown.
    var waiting: Int { state.withLock { $0.waiting } }

    /// Takes a line of the stand-in: a push, another request, or a line of the card before it.
    func take(_ line: String) {
        let arrival = ContinuousClock.now - start
        guard let push = DemoPush(line: line) else {
            state.withLock { state in
                // A request that is no push, such as that for an access token, has its line and is not shown.
                if line.hasPrefix("{") { state.card = [] } else { state.card.append(line) }
            }
            return
        }
        let isQueued = state.withLock { state in
            state.tally.add(push)
            defer { state.card = [] }
            guard let item = item(push, arrival: arrival, &state) else { return false }
            // The cards of the first push stay together.
            let place = item.isFirst ? state.queue.firstIndex { !$0.isFirst } : nil
            state.queue.insert(item, at: place ?? state.queue.endIndex)
            state.waiting += 1
            return true
        }
        if isQueued { signal.yield() }
    }

    /// What is shown of a push; nil if it is only counted.
    private func item(_ push: DemoPush, arrival: Duration, _ state: inout State) -> Item? {
        let device = devices[push.token]
        var isFirst = false
        if let device, push.refusal == nil, !onlyDevices.contains(device.token), let transaction = push.transaction {
            let first = state.first ?? transaction
            state.first = first
            isFirst = transaction == first
        }
        let isOfIPhone = device.map { $0.kind == .iPhone } ?? true
        guard isFirst || isOfIPhone || push.refusal != nil else { return nil }
        let name = device?.name ?? "Device …\(push.token.suffix(8))"
        let text = push.text(in: device?.app ?? .stranger)
        let line = "\(Self.seconds(arrival))  \(name): \(text)"
        let lines = [line] + (showsCards || isFirst ? state.card : [])
        return Item(text: lines.joined(separator: "\n"), arrival: arrival, isFirst: isFirst)
    }

    /// Shows the pushes as they come, until cancelled.
    func run() async throws {
        var pace = pace
        for await _ in signals {
            guard let arrival = state.withLock({ $0.queue.first?.arrival }) else { continue }
            let now = ContinuousClock.now - start
            let turn = pace.turn(arrival: arrival, now: now)
            if turn.saysThatLinesWait {
                say(
                    "           (\(Counted(waiting, "push has arrived and waits", "pushes have arrived and wait")) to be shown)"
                )
            }
            try await Task.sleep(for: turn.time - now)
            say(state.withLock { $0.queue.removeFirst().text })
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
