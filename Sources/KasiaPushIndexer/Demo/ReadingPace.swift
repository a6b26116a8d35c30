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
