/// Spaces lines so that somebody can read them, and knows when it must be said that lines wait.
struct ReadingPace: Sendable {
    /// How long after its arrival a line may be shown before that is said.
    static let patience = Duration.seconds(5)

    /// The least time between two lines; zero shows each at once.
    let interval: Duration
    private var lastShown: Duration?
    private var hasSaid = false

    init(interval: Duration) { self.interval = interval }

    /// When the next line is shown, and whether to say before it that lines wait: once until they have been caught up.
    ///
    /// All times count from one start.
    mutating func turn(arrival: Duration, now: Duration) -> (time: Duration, saysThatLinesWait: Bool) {
        let time = max(now, lastShown.map { $0 + interval } ?? now)
        let isLate = time - arrival > ReadingPace.patience
        defer {
            lastShown = time
            hasSaid = isLate
        }
        return (time, isLate && !hasSaid)
    }
}
